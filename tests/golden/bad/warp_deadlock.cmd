hexec warp_deadlock.yaml
