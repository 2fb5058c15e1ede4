# any order gives the same, and the token makes the same run again
hexec programs/reduce_sum.yaml --seed 5 --verify > first
token=$(sed -n 's/^replay   //p' first)
hexec programs/reduce_sum.yaml --replay "$token" --workers 1 --quiet --json | sed "s/$token/<token>/; s/.*\"replay\"/\"replay\"/; s/,.*//"
hexec programs/reduce_sum.yaml --replay "$token" --param n=100
