hexec compare no_kernels.json base.json
