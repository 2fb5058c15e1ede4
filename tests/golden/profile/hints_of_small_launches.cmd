# one block for four workers is told first, whatever else there is; with one worker it is not told
for workers in 4 1; do
    hexec profile patterns.yaml --grid 1 --runs 1 --workers $workers --json | python3 -c '
import json, sys
hints = json.load(sys.stdin)["hints"]
print([hint["rule"] for hint in hints if hint["rule"] not in ("barriers", "balance", "scheduling", "grid-size")][:2])
print("keeps 4 workers busy" in hints[0]["text"], "(grid 1,1,1, block 48,1,1 in the first launch)" in hints[0]["text"])'
done
