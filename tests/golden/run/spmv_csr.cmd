hexec programs/spmv_csr.yaml --verify
