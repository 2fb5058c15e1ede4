HEXEC_PRINT=y:0:4 HEXEC_QUIET=1 hexec good.yaml
HEXEC_PRINT=y:0:4,x:0:2 HEXEC_QUIET=1 HEXEC_PARAM=n=64 hexec good.yaml --print y:30:3
