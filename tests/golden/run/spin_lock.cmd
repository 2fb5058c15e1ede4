hexec programs/spin_lock.yaml --verify --quiet --print length --print sum
