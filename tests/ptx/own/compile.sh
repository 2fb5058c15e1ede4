#!/bin/bash
# Makes the PTX in this folder again, from programs/opencl and programs/cuda: compile.sh HEXEC. clang is called as hexec
# calls it, without debug information; nvcc's debug information is taken out. NVCC is the path of nvcc.
set -euo pipefail
hexec=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
nvcc=${NVCC:-/usr/local/cuda/bin/nvcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/clang" <<'END'
#!/bin/bash
exec "$HEXEC_COMPILER" "$@" | tee "$HEXEC_PTX"
END
chmod +x "$work/clang"

# with_clang SOURCE LEVEL [VERSION]: NAME-clangVERSION-LEVEL.ptx; without a version it is clang 14
with_clang() {
    local options
    options=$(sed -n 's/^options: "\(.*\)"/\1/p' "${1%.*}.yaml")
    HEXEC_PTX="$here/$(basename "${1%.*}")-clang$3-$2.ptx" HEXEC_CLANG="$work/clang" HEXEC_COMPILER="clang-${3:-14}" \
        "$hexec" check "$1" --quiet --no-cache --options "$options -$2 -g0"
}
# with_nvcc SOURCE FLAG ARCHITECTURE: NAME-nvcc-FLAG-ARCHITECTURE.ptx
with_nvcc() {
    "$nvcc" -ptx "-$2" "-arch=$3" "$1" -o - |
        sed -e '/^\t*\.section/,/^\t*}/d' -e '/^\t*\.\(loc\|file\)[ \t]/d' > "$here/$(basename "${1%.*}")-nvcc-$2-$3.ptx"
}
cd "$here/../../../programs"
for source in opencl/*.cl cuda/*.cu; do
    [[ $source == */saxpy.* ]] && continue # so small that it shows nothing, and in both folders
    with_clang "$source" O0 ""
    with_clang "$source" O2 ""
    if [[ $source == *.cu ]]; then
        with_nvcc "$source" O3 sm_90
        with_nvcc "$source" G sm_75
    fi
done
# Newer compilers write some things otherwise: the calls of printf, parameters of kernels, what is in which space.
for source in opencl/{radix_sort,softmax,tally}.cl cuda/{attention,operations,shapes}.cu; do
    with_clang "$source" O1 19
done
for source in cuda/{attention,scan,shapes}.cu; do
    with_nvcc "$source" O3 sm_120
done
