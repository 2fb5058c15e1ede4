hexec two.yaml -q --kernel second --grid 1 --print y
hexec two.yaml -q --print y
