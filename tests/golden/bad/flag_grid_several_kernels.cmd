hexec run flag_grid_several_kernels.yaml --grid 8
