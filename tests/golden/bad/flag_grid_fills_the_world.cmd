hexec good.yaml --grid 2147483647,2147483647,2147483647 --timeout 5
