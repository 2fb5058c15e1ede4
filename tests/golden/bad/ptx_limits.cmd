# more of everything than hexec takes
mkdir cases
kernel() { # NAME BEFORE PARAMETERS BODY
    printf '.version 8.0\n.target sm_80\n.address_size 64\n%s\n.entry k(%s)\n{\n%s\n    ret;\n}\n' "$2" "$3" "$4" > "cases/$1.ptx"
}
many() { # COUNT TEXT: with # for the number
    awk -v count="$1" -v text="$2" 'BEGIN { for (i = 0; i < count; i++) { line = text; gsub(/#/, i, line); printf "%s", line } }'
}
kernel nested_braces '' '' "$(many 5000 '{')$(many 5000 '}')"
kernel nested_vectors '' '' "mov.u32 $(many 5000 '{'), 1;"
kernel nested_address '' '' "mov.u32 $(many 5000 '['), 1;"
kernel nested_parentheses '' '' "mov.u32 $(many 5000 '(')1$(many 5000 ')'), 1;"
kernel nested_signs '' '' "mov.u32 $(many 5000 '-')1, 1;"
kernel nested_values ".global .u32 x[1] = $(many 5000 '{')1$(many 5000 '}');" '' ''
kernel parameters '' "$(many 4096 '.param .u32 p#, ').param .u32 last" ''
kernel parameter_bytes '' '.param .align 8 .b8 p[20000000]' ''
kernel globals "$(many 4097 '.global .u32 g#; ')" '' ''
kernel constant_bytes '.const .b8 c[20000000];' '' ''
kernel values '.global .b8 c[300000000] = {1};' '' ''
kernel shared_bytes '' '' '.shared .b8 s[300000]; .reg .u32 %r; mov.u32 %r, s;'
kernel shared_variables '' '' "$(many 4097 '.shared .u8 s#; ')"
kernel local_bytes '' '' '.local .b8 l[600000]; .reg .u64 %r; mov.u64 %r, l;'
kernel registers '' '' '.reg .u32 %r<4000000>; .reg .u32 %s<4000000>;'
kernel jumps '' '' ".reg .u32 %r; a: t: .branchtargets a$(many 255 ', a'); brx.idx %r, t;"
kernel kernels "$(many 1000 '.entry k#() { ret; } ')" '' ''
hexec check cases/*.ptx 2>&1 >/dev/null | cut -c 1-120 >&2
hexec check --quiet cases/parameters.ptx 2>/dev/null
