hexec explain > list
head -n 5 list
# each of them has a text
for code in $(cut -d" " -f1 list); do hexec explain "$code" | tail -n +3 | grep -q . || echo "$code has no text"; done
