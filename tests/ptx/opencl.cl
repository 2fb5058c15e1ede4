/* Functions of OpenCL C that libclc leaves out: clang-14 -xcl -cl-std=CL2.0 -target nvptx64-unknown-nvcl -Xclang -target-cpu
 * -Xclang sm_70 -Xclang -finclude-default-header -O2 -S opencl.cl -o opencl-O2-sm_70.ptx */
