# what holds without a word, but for what debug builds do otherwise; the list of options is as long as the table
HEXEC_PERF_TRACING=0 hexec doctor > told
sed '/^  none is set/,/^$/d' told
awk 'length > 80 { print "too long: " $0 }' told
