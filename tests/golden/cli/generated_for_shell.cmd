hexec --generate=bash > completion
bash -n completion && echo "bash can read it"
