hexec good.yaml -q --out y=y.npy --out x=x.raw
od -A d -t f4 -N 16 x.raw
head -c 6 y.npy | tail -c 5
hexec good.yaml -q --buffer x=@y.npy --print y:28:4
