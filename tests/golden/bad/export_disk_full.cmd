hexec run programs/saxpy.yaml --quiet --callgrind=/dev/full
