hexec check_fault.yaml --check memory,sync --quiet --junit fault.xml --sarif fault.sarif; echo "exit code $?"
cat fault.xml
python3 - <<END
import json
run = json.load(open("fault.sarif"))["runs"][0]
print(run["results"], json.dumps(run["invocations"], indent=1))
END
sed 's/@p0 trap/w:  bra w/' check_fault.yaml > endless.yaml
hexec endless.yaml --check memory --quiet --max-instructions 100000 --junit endless.xml; echo "exit code $?"
grep -A2 '"run"' endless.xml
