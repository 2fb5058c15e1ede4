hexec profile programs/saxpy.yaml --metrics=prom:saxpy.prom
