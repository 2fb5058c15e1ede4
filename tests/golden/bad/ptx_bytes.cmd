# bytes that are no text of PTX, ends of lines of all kinds, and a text that is cut off anywhere
mkdir cases
head='.version 8.0\n.target sm_80\n.address_size 64\n'
body='.entry k()\n{\n    .reg .u32 %%r;\n    mov.u32 %%r, 1;\n    ret;\n}\n'
printf "$head.entry k()\n{\n    \000ret;\n}\n" > cases/nul.ptx
printf "$head.entry k\377\376()\n{\n    ret;\n}\n" > cases/not_utf8.ptx
printf "$head.entry k\303\244()\n{\n    ret;\n}\n" > cases/umlaut.ptx
printf "\357\273\277$head$body" > cases/right_with_mark.ptx
printf "$head$body" | sed 's/$/\r/' > cases/right_crlf.ptx
printf "$head$body" | sed '2,5s/$/\r/' > cases/right_crlf_mixed.ptx
printf "$head// \303\244 \377\n$body" > cases/right_comment.ptx
printf "$head$body" | sed 's/$/\r/; s/ret;/ret/' > cases/wrong_crlf.ptx
: > cases/empty.ptx
printf '\000\001\002\003' > cases/binary.ptx
for bytes in 0 9 15 28 40 63 75 92 110 130 150 170 190 205 230 250 260 280 300 320 340 360 380 400; do
    head -c "$bytes" ptx_whole.ptx > "cases/cut_$(printf '%03d' "$bytes").ptx"
done
hexec check cases/*.ptx
