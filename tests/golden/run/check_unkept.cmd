hexec check_unkept.yaml --check race --quiet --sarif findings.sarif
python3 -c "import json; print(json.load(open(\"findings.sarif\"))[\"runs\"][0][\"invocations\"][0][\"toolExecutionNotifications\"])"
hexec check_unkept.yaml --check race --json --quiet | python3 -c "import json, sys; print(json.load(sys.stdin)[\"check\"][\"unkept\"])"
