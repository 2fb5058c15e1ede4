# Made by hexec --generate=bash; the source is tools/hexec/options.def.
_hexec() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=run i
    # bash makes a word of the = in --option=value
    if [ "$word" = = ]; then word=; fi
    if [ "$before" = = ] && [ "$COMP_CWORD" -ge 2 ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        run|profile|check|asm|disasm|init|import|isa|explain|test|bench|schema|compare|trace|doctor|app|debug) command=${COMP_WORDS[i]}; break ;;
        esac
    done
    case $before in
    --grid) COMPREPLY=(); return ;;
    --block) COMPREPLY=(); return ;;
    --dynamic-shared) COMPREPLY=(); return ;;
    --kernel) COMPREPLY=(); return ;;
    --isa) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --repeat) COMPREPLY=(); return ;;
    --param) COMPREPLY=(); return ;;
    --buffer) COMPREPLY=(); return ;;
    --out) COMPREPLY=(); return ;;
    --print) COMPREPLY=(); return ;;
    --flamegraph) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --report) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --pprof) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --callgrind) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --metrics) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --otlp) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --workers) COMPREPLY=(); return ;;
    --warp-size) COMPREPLY=(); return ;;
    --gang) COMPREPLY=(); return ;;
    --tier) mapfile -t COMPREPLY < <(compgen -W 'auto interpreter compiled' -- "$word"); return ;;
    --arg) COMPREPLY=(); return ;;
    --options) COMPREPLY=(); return ;;
    --source) mapfile -t COMPREPLY < <(compgen -W 'written ptx hexec' -- "$word"); return ;;
    --script|-x) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --eval|-e) COMPREPLY=(); return ;;
    --listen) COMPREPLY=(); return ;;
    --check) COMPREPLY=(); return ;;
    --suppressions) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --suggest-suppressions) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --sarif) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --error-limit) COMPREPLY=(); return ;;
    --cpu-level) mapfile -t COMPREPLY < <(compgen -W 'auto plain v2 v3 v4' -- "$word"); return ;;
    --seed) COMPREPLY=(); return ;;
    --explore) COMPREPLY=(); return ;;
    --replay) COMPREPLY=(); return ;;
    --coverage) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --by) mapfile -t COMPREPLY < <(compgen -W 'all kernel opcode line instruction launch' -- "$word"); return ;;
    --launch) COMPREPLY=(); return ;;
    --sort) COMPREPLY=(); return ;;
    --top) COMPREPLY=(); return ;;
    --explain) COMPREPLY=(); return ;;
    --device) COMPREPLY=(); return ;;
    --runs) COMPREPLY=(); return ;;
    --precision) COMPREPLY=(); return ;;
    --measure) COMPREPLY=(); return ;;
    --costs) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --timeout) COMPREPLY=(); return ;;
    --max-instructions) COMPREPLY=(); return ;;
    --max-memory) COMPREPLY=(); return ;;
    --filter) COMPREPLY=(); return ;;
    --write-costs) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --junit) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --jobs|-j) COMPREPLY=(); return ;;
    --threshold) COMPREPLY=(); return ;;
    --band) COMPREPLY=(); return ;;
    --save-baseline) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --output|-o) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --compiled) mapfile -t COMPREPLY < <(compgen -W 'asm ir' -- "$word"); return ;;
    --trace) COMPREPLY=(); return ;;
    --trace-limit) COMPREPLY=(); return ;;
    --trace-budget) COMPREPLY=(); return ;;
    --trace-tracks) mapfile -t COMPREPLY < <(compgen -W 'workers warps' -- "$word"); return ;;
    --log-file) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word"); return ;;
    esac
    local options='' commands=''
    case $command in
    run) options=' --grid --block --dynamic-shared --kernel --isa --repeat --param --buffer --out --print --flamegraph --report --pprof --callgrind --metrics --otlp --verify --workers --warp-size --gang --plain --tier --hot-lines --arg --options --no-cache --source --listen --check --suppressions --suggest-suppressions --sarif --error-limit --cpu-level --seed --explore --replay --profile --coverage --by --sort --top --device --runs --precision --measure --costs --roofline --strict --timeout --max-instructions --max-memory --junit --json --quiet --verbose --trace --trace-limit --trace-budget --trace-tracks --log-file --color --help --version' ;;
    profile) options=' --grid --block --dynamic-shared --kernel --isa --repeat --param --buffer --out --flamegraph --report --pprof --callgrind --metrics --otlp --verify --workers --warp-size --gang --plain --tier --arg --options --no-cache --source --check --suppressions --cpu-level --seed --replay --coverage --by --launch --sort --top --explain --csv --device --runs --precision --measure --costs --roofline --strict --timeout --max-instructions --max-memory --json --quiet --log-file --color --help --version' ;;
    check) options=' --isa --options --no-cache --strict --json --quiet --verbose --log-file --color --help --version' ;;
    asm) options=' --isa --options --no-cache --strict --output --log-file --color --help --version' ;;
    disasm) options=' --kernel --isa --options --no-cache --source --strict --output --lowered --compiled --log-file --color --help --version' ;;
    init) options=' --kernel --isa --options --no-cache --strict --output --log-file --color --help --version' ;;
    import) options=' --isa --options --no-cache --source --strict --output --log-file --color --help --version' ;;
    isa) options=' --isa --markdown --json --log-file --color --help --version' ;;
    explain) options=' --color --help --version' ;;
    test) options=' --isa --check --suppressions --error-limit --cpu-level --filter --junit --jobs --gaps --json --quiet --log-file --color --help --version' ;;
    bench) options=' --isa --cpu-level --csv --runs --filter --quick --write-costs --json --quiet --verbose --log-file --color --help --version' ;;
    schema) options=' --color --help --version' ;;
    compare) options=' --threshold --band --save-baseline --markdown --json --verbose --color --help --version' ;;
    trace) options=' --output --color --help --version' ;;
    doctor) options=' --json --log-file --color --help --version' ;;
    app) options=' --flamegraph --report --pprof --callgrind --workers --tier --check --suppressions --sarif --error-limit --seed --profile --by --sort --top --device --strict --timeout --output --json --trace --trace-budget --color --help --version' ;;
    debug) options=' --grid --block --dynamic-shared --kernel --isa --repeat --param --buffer --warp-size --arg --options --no-cache --optimized --source --script --eval --batch --dap --check --cpu-level --seed --replay --strict --max-memory --color --help --version' ;;
    esac
    if [ "$COMP_CWORD" -eq 1 ]; then commands='run profile check asm disasm init import isa explain test bench schema compare trace doctor app debug'; fi
    case $word in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word"; compgen -f -- "$word") ;;
    esac
}
complete -o filenames -F _hexec hexec
