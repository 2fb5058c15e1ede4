hexec programs/copy_one.yaml --tier interpreter --verify
