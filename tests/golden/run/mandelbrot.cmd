hexec programs/mandelbrot.yaml --verify
