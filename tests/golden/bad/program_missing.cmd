hexec run
