# the threshold is kept with the baseline, and replaced in it
hexec compare base.json --save-baseline kept.json --threshold 3
hexec compare kept.json slower.json
echo "exit code $?"
hexec compare kept.json slower.json --threshold 30 --save-baseline kept.json | tail -n 1
hexec compare kept.json same.json | tail -n 1
grep -c threshold kept.json
