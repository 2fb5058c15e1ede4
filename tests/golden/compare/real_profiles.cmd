# profiles as hexec writes them: what is counted is the same in each run
hexec profile programs/saxpy.yaml --json --runs 3 --workers 1 > a.json
hexec profile programs/saxpy.yaml --json --runs 3 --workers 1 > b.json
hexec profile programs/saxpy.yaml --json --runs 3 --workers 1 --warp-size 16 > c.json
hexec compare a.json b.json > same
echo "exit code $?"
sed -n 's/ of [1-9][0-9]* / of <n> /; /^exact/p' same
hexec compare a.json c.json 2> /dev/null > other
echo "exit code $?"
grep -F options. other
