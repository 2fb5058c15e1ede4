export HEXEC_WORKERS=4 HEXEC_GANG=x HEXEC_WORKRES=4 TRACEPARENT= HEXEC_ZZZZZZZZZ='a"b'
hexec doctor --json > told || echo "exit code $?"
jq -c 'keys, (.build | keys), (.machine | keys), (.clock | keys), .unknown_variables' told
jq -c '.build.parts[].name' told
jq -c '.options[] | select(.value or .name == "grid")' told
jq -c '.diagnostics[] | [.code, .message]' told
jq -c '[.machine.cores >= 1, .machine.page_bytes >= 4096, .clock.ns_per_tick > 0, .clock.reading_ns > 0]' told
jq -c '.isa.name, (.isa.hash | test("^[0-9a-f]{8}$")), (.sinks | map(.name))' told
jq -c '.others' told
