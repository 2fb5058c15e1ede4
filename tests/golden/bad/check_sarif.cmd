hexec run programs/saxpy.yaml --sarif findings.sarif
