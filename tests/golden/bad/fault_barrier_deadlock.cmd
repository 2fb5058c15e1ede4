hexec run fault_barrier_deadlock.yaml
