hexec programs/work_queue.yaml --verify
