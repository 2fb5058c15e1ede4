#!/bin/bash
# usage: small_stack.sh HEXEC ROOT: what hexec does needs no more than 64 KiB of stack.
set -e
ulimit -s 64
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$1" run "$2/programs/saxpy.yaml" --quiet --verify
"$1" run "$2/programs/matmul_tiled.yaml" --quiet --verify --plain
"$1" profile "$2/programs/reduce_sum.yaml" --quiet --report "$folder/report.html" --runs 1
"$1" check "$2/programs/saxpy.yaml" > "$folder/checked"
for sign in '(' '-'; do
    printf 'program: deep\nbuffers:\n  - {name: y, type: u8, count: "%s"}\ncode: exit\n' \
        "$(printf '%0100000d' 0 | tr 0 "$sign")" > "$folder/deep.yaml"
    code=0
    "$1" check "$folder/deep.yaml" 2> "$folder/said" > "$folder/checked" || code=$?
    test $code = 2
    grep -q HX1302 "$folder/said"
done
