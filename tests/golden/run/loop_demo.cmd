hexec programs/loop_demo.yaml --verify
