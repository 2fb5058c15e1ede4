mkfifo nobody
hexec run buffer_device.yaml --buffer x=1 --out y=nobody --timeout 0.1 --quiet
