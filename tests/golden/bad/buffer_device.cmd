hexec run buffer_device.yaml
