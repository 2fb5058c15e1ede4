hexec programs/call_ret.yaml --verify
