sed '/x + r0/d' check_known.yaml > benign.yaml
hexec benign.yaml --check race --quiet; echo "exit code $?"
hexec benign.yaml --check race --quiet --strict > report.txt; echo "exit code $?"
hexec check_known.yaml --check memory,race --quiet; echo "exit code $?"
hexec check_known.yaml --check memory,race --suppressions check_known_list.yaml --sarif known.sarif --junit known.xml; echo "exit code $?"
python3 - <<END
import json
for one in json.load(open("known.sarif"))["runs"][0]["results"]:
    print(one["ruleId"], one["level"], one["suppressions"])
END
cat known.xml
