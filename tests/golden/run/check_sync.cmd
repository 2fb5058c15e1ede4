hexec check_sync.yaml --check sync --quiet; hexec check_sync.yaml --check sync --quiet --sarif findings.sarif > report.txt
python3 -c "import json; r = json.load(open(\"findings.sarif\"))[\"runs\"][0][\"results\"][0]; print(r[\"ruleId\"], r[\"occurrenceCount\"], r[\"locations\"][0][\"physicalLocation\"][\"region\"])"
