# right where one gang holds the block, and wrong with any seed; the token repeats what was wrong
hexec run_seed_barrier.yaml --verify --quiet && echo "in order: right"
for seed in 1 2 3 4 5 6 7 8; do hexec run_seed_barrier.yaml --verify --quiet --seed $seed 2> /dev/null || echo "seed $seed: $?"; done
hexec run_seed_barrier.yaml --seed 3 --print y > first
token=$(sed -n 's/^replay   //p' first)
grep "^y" first > wrong
hexec run_seed_barrier.yaml --replay "$token" --workers 1 --print y | grep "^y" | cmp - wrong && echo "replay: the same"
