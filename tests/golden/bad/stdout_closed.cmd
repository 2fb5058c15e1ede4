hexec run good.yaml >&-
