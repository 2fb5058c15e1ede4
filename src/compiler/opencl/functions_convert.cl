/* Conversions to floats that round towards 0, down or up. libclc's convert the rounded value back to compare: an
 * integer that is rounded up beyond its type's range looks exact (the largest uint, rounded down, is 2^32), and
 * a double that becomes 0 loses its sign.
 *
 * The bodies are of asm, as clang's optimizer takes __nvvm_i2f_rz for a conversion to the nearest. `length`,
 * `vector` and `widest` are the lengths of the names convert_float_rtn, convert_float2_rtn, convert_float16_rtn. */
#define __hexec_of_width(length, TO, W, MODE, FROM, letter, body)                                            \
    __hexec_define(TO##W, __hexec_to_##TO##W##MODE##_##FROM,                                                 \
                   "_Z" #length "convert_" #TO #W #MODE "Dv" #W "_" letter, (FROM##W x), body)
#define __hexec_convert(length, vector, widest, TO, MODE, FROM, letter, rounded)                             \
    __hexec_define(TO, __hexec_to_##TO##MODE##_##FROM, "_Z" #length "convert_" #TO #MODE letter, (FROM x),   \
                   rounded(x))                                                                               \
    __hexec_of_width(vector, TO, 2, MODE, FROM, letter, (TO##2)(rounded(x.x), rounded(x.y)))                 \
    __hexec_of_width(vector, TO, 3, MODE, FROM, letter, (TO##3)(rounded(x.x), rounded(x.y), rounded(x.z)))   \
    __hexec_of_width(vector, TO, 4, MODE, FROM, letter,                                                      \
                     (TO##4)(__hexec_to_##TO##2##MODE##_##FROM(x.lo), __hexec_to_##TO##2##MODE##_##FROM(x.hi))) \
    __hexec_of_width(vector, TO, 8, MODE, FROM, letter,                                                      \
                     (TO##8)(__hexec_to_##TO##4##MODE##_##FROM(x.lo), __hexec_to_##TO##4##MODE##_##FROM(x.hi))) \
    __hexec_of_width(widest, TO, 16, MODE, FROM, letter,                                                     \
                     (TO##16)(__hexec_to_##TO##8##MODE##_##FROM(x.lo), __hexec_to_##TO##8##MODE##_##FROM(x.hi)))
#define __hexec_to(length, vector, widest, TO, to, MODE, ptx, FROM, letter, from)                             \
    static inline TO __attribute__((always_inline, nodebug)) __hexec_##TO##MODE##_##FROM(FROM x)             \
    {                                                                                                        \
        TO rounded;                                                                                          \
        __asm__(ptx " %0, %1;" : "=" to(rounded) : from(x));                                                 \
        return rounded;                                                                                      \
    }                                                                                                        \
    __hexec_convert(length, vector, widest, TO, MODE, FROM, letter, __hexec_##TO##MODE##_##FROM)
#define __hexec_to_float(MODE, ptx, FROM, letter, from)                                                      \
    __hexec_to(17, 18, 19, float, "f", MODE, ptx, FROM, letter, from)
#define __hexec_to_double(MODE, ptx, FROM, letter, from)                                                     \
    __hexec_to(18, 19, 20, double, "d", MODE, ptx, FROM, letter, from)
__hexec_to_float(_rtz, "cvt.rz.f32.u32", uint, "j", "r")
__hexec_to_float(_rtn, "cvt.rm.f32.u32", uint, "j", "r")
__hexec_to_float(_rtz, "cvt.rz.f32.s32", int, "i", "r")
__hexec_to_float(_rtn, "cvt.rm.f32.s32", int, "i", "r")
__hexec_to_float(_rtz, "cvt.rz.f32.u64", ulong, "m", "l")
__hexec_to_float(_rtn, "cvt.rm.f32.u64", ulong, "m", "l")
__hexec_to_float(_rtz, "cvt.rz.f32.s64", long, "l", "l")
__hexec_to_float(_rtn, "cvt.rm.f32.s64", long, "l", "l")
__hexec_to_float(_rtz, "cvt.rz.f32.f64", double, "d", "d")
__hexec_to_float(_rtp, "cvt.rp.f32.f64", double, "d", "d")
__hexec_to_double(_rtz, "cvt.rz.f64.u64", ulong, "m", "l")
__hexec_to_double(_rtn, "cvt.rm.f64.u64", ulong, "m", "l")
__hexec_to_double(_rtz, "cvt.rz.f64.s64", long, "l", "l")
__hexec_to_double(_rtn, "cvt.rm.f64.s64", long, "l", "l")
#undef __hexec_to_float
#undef __hexec_to_double
#undef __hexec_to
#undef __hexec_convert
#undef __hexec_of_width
