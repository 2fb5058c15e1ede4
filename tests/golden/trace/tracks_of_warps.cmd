# each warp has a track, and on it are its own instructions alone; workers keep their blocks
hexec programs/vector_add.yaml --quiet --grid 3 --workers 1 --trace=chrome:run.json --trace-tracks=warps
tr '}' '\n' <run.json | grep -o '"\(process\|thread\)_name","args":{"name":"[^"]*"' | sed -n '1,8p; $p'
sed -n 's/.*"tid":\([0-9]*\),.*"name":"\(gang\|block\|vector_add\|cpu_[a-z]*\)".*"block":\([0-9]*\)\(,"warp":[0-9]*\)\{0,1\}.*/\1 \3\4/p' run.json | sort -u | sed -n '1,6p; $p'
# nor are there more of them than is kept
hexec programs/vector_add.yaml --quiet --grid 500 --trace=chrome:run.json --trace-tracks=warps --trace-budget=100KiB
tr '}' '\n' <run.json | grep -c '"thread_name","args":{"name":"block'
grep -o '"groups_kept_one_in":[0-9]*' run.json
