kernel void v(global float4 *y) { float4 a = y[0]; a.w = 5; y[0] = a; }
