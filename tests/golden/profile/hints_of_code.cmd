# those whose figures are exact
hexec profile habits.yaml --runs 1 --workers 1 --json | python3 -c '
import json, sys
for hint in json.load(sys.stdin)["hints"]:
    if hint["rule"] not in ("barriers", "balance", "scheduling", "grid-size"):
        print(hint["kernel"], hint["rule"], hint["line"], round(hint["share"], 3), hint["text"])'
