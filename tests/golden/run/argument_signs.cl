kernel void signs(global int *o, char c, short s, int i, long l)
{
    o[0] = c;
    o[1] = s;
    o[2] = i;
    o[3] = l;
}
