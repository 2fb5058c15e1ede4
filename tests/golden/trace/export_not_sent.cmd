hexec run programs/saxpy.yaml --quiet --otlp=http://127.0.0.1:9
