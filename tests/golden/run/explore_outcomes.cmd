sed '/memfence/d; s/200/50/' programs/litmus/mp_gpu.yaml > mp.yaml
hexec mp.yaml --explore 100 | grep -v time; echo "exit code $?"
sed 's/values: .0, 1., is: required/values: [0, 1], is: forbidden/; s/values: .1, 0., is: forbidden/values: [1, 0], is: required/' mp.yaml > wrong.yaml
hexec wrong.yaml --explore 100 --quiet; echo "exit code $?"
hexec asm wrong.yaml -o wrong.hxb; hexec disasm wrong.hxb -o again.yaml; hexec asm again.yaml -o again.hxb
sed -n '/^outcomes/,$p' again.yaml; hexec again.yaml --explore 100 --quiet 2> /dev/null; echo "exit code $?"
