hexec good.yaml --grid four
