hexec test test_failing.yaml --junit out.xml --quiet > /dev/null
sed 's/time="[0-9.]*"/time="T"/' out.xml
