#!/bin/sh
# Usage: installed.sh BUILD CC
#
# Installs the build into a scratch folder and uses the copy as others would: a small program through pkg-config
# and through find_package, the installed hexec, its man page and its completion.
set -eu
build=$1
cc=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/log"
cp -r "$here/client" "$scratch/client"

pkgconfig=$(dirname "$(find "$scratch/prefix" -name hexec.pc)")
library=$(dirname "$pkgconfig")
export PKG_CONFIG_PATH="$pkgconfig"
# pkg-config's answer is a list of words.
# shellcheck disable=SC2046
$cc -o "$scratch/with-pkg-config" "$scratch/client/client.c" $(pkg-config --cflags --libs hexec)
LD_LIBRARY_PATH=$library "$scratch/with-pkg-config" "$here/client/double.yaml"

for kind in shared static; do
    cmake -S "$scratch/client" -B "$scratch/$kind" -G Ninja -DCMAKE_C_COMPILER="$cc" -DKIND=$kind \
        -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
    ninja -C "$scratch/$kind" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
    "$scratch/$kind/client" "$here/client/double.yaml"
done

LD_LIBRARY_PATH=$library "$scratch/prefix/bin/hexec" "$here/client/double.yaml" --quiet --verify
test -s "$scratch/prefix/share/man/man1/hexec.1"
test -s "$scratch/prefix/share/bash-completion/completions/hexec"
echo "installed: ok"
