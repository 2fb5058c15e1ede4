hexec bench host --filter ldg
