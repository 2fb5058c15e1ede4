mkfifo nobody endless
hexec run buffer_device.yaml --buffer x=@nobody --timeout 0.1
echo "exit code $?"
yes > endless &
hexec run buffer_device.yaml --buffer x=@endless --timeout 60
