hexec programs/stencil2d.yaml --verify
