hexec good.yaml --gird 4 --block 0 --workers many
