hexec profile --explain coalesing
echo $?
hexec profile patterns.yaml --sort sector
echo $?
hexec profile patterns.yaml --json --csv
echo $?
hexec profile
echo $?
hexec profile nothing.yaml
echo $?
hexec profile patterns.yaml --coverage nowhere/x.lcov --runs 1 --quiet
