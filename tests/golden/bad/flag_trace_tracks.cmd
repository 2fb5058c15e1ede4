hexec programs/vector_add.yaml --trace=chrome:run.json --trace-tracks=warp
