hexec explore_lost.yaml --explore 50 --check race --print n; echo "exit code $?"
token=$(hexec explore_lost.yaml --explore 50 2> /dev/null | sed -n 's/^replay   //p')
hexec explore_lost.yaml --replay $token --quiet --print n; hexec explore_lost.yaml --replay $token | grep replay
hexec explore_lost.yaml --quiet --workers 1 --print n
hexec explore_lost.yaml --explore 50 --json | python3 -c "
import json, sys
found = json.load(sys.stdin)['explore']
print(found['at_fault'] > 0, len(found['decisions']), [one['kind'] for one in found['decisions']], found['replay'] == '$token')"
sed 's/ldg.u32 .*/mov.u32 r2, 1/; s/add.u32 .*/atomg.add.u32 r1, [$n], r2/; /stg.u32/d' explore_lost.yaml > counted.yaml
hexec counted.yaml --explore 50 --quiet; echo "exit code $?"
