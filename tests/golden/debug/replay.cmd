grep -v bar.sync programs/reduce_sum.yaml > wrong.yaml
token=$(hexec run wrong.yaml --explore 100 2>/dev/null | sed -n 's/^replay  *//p')
hexec run wrong.yaml --replay $token --print sums 2>&1 | tail -1
hexec debug wrong.yaml --replay $token --batch -e 'break 33 block 7' -e continue -e 'info paths' -e 'delete' \
  -e 'watch sums[7]' -e continue -e 'print sums' -e 'info registers r4' -e 'goto 1809' -e 'lanes r0' -e continue -e continue 2>&1
hexec debug programs/reduce_sum.yaml --replay $token --batch -e continue 2>&1 | sed 's/token: .*reduce/reduce/'
