hexec debug programs/call_ret.yaml --batch -x calls.txt
