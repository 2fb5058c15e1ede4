hexec test test_check.yaml programs/saxpy.yaml --check memory,sync --junit out.xml; echo "exit code $?"
sed 's/time="[0-9.]*"/time="T"/' out.xml
hexec test test_check.yaml --check memory --json | python3 -c "
import json, sys
one = json.load(sys.stdin)['results'][0]
print(one['failures'], one['check']['total'], one['check']['findings'][0]['kind'], one['check']['findings'][0]['places'][0]['line'])"
hexec test test_check.yaml --check memory --suppressions test_check_known.yaml; echo "exit code $?"
