hexec debug programs/cuda/shapes.yaml --batch -e 'break area' -e run -e where
