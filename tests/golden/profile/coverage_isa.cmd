hexec profile patterns.yaml --runs 1 --isa isa/hexec.yaml --quiet --coverage patterns.lcov
# the lines of opcodes that were issued
grep -A1000 isa/hexec.yaml patterns.lcov | grep "^DA:[0-9]*,[1-9]" | sed 's/^DA:[0-9]*/DA:<line>/'
grep "^LH" patterns.lcov
