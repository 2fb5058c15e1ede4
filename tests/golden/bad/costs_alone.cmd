hexec run programs/saxpy.yaml --costs nowhere.yaml
