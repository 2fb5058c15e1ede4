hexec run programs/saxpy.yaml --check memroy
