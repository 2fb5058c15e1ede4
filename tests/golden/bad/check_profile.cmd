hexec run programs/saxpy.yaml --check memory --profile
