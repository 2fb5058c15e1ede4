/* Functions over vectors of all widths, made of those over numbers. */
/* A function for each width, whose halves are those of the width before. The symbol is made of the name and
 * its length, and the types of the arguments: `letter` is the first's, `second` or more(WIDTH) the other's. */
#define __hexec_one(length, name, T, letter, result)                                                         \
    __hexec_define(T, __hexec_m_##name##_##T, "_Z" #length #name letter, (T x), result)                      \
    __hexec_define(T##2, __hexec_m_##name##_##T##2, "_Z" #length #name "Dv2_" letter, (T##2 x),              \
                   (T##2)(__hexec_m_##name##_##T(x.x), __hexec_m_##name##_##T(x.y)))                         \
    __hexec_define(T##3, __hexec_m_##name##_##T##3, "_Z" #length #name "Dv3_" letter, (T##3 x),              \
                   (T##3)(__hexec_m_##name##_##T##2(x.xy), __hexec_m_##name##_##T(x.z)))                     \
    __hexec_define(T##4, __hexec_m_##name##_##T##4, "_Z" #length #name "Dv4_" letter, (T##4 x),              \
                   (T##4)(__hexec_m_##name##_##T##2(x.lo), __hexec_m_##name##_##T##2(x.hi)))                 \
    __hexec_define(T##8, __hexec_m_##name##_##T##8, "_Z" #length #name "Dv8_" letter, (T##8 x),              \
                   (T##8)(__hexec_m_##name##_##T##4(x.lo), __hexec_m_##name##_##T##4(x.hi)))                 \
    __hexec_define(T##16, __hexec_m_##name##_##T##16, "_Z" #length #name "Dv16_" letter, (T##16 x),          \
                   (T##16)(__hexec_m_##name##_##T##8(x.lo), __hexec_m_##name##_##T##8(x.hi)))
#define __hexec_two(length, name, T, Y, letter, second, more, result)                                        \
    __hexec_define(T, __hexec_m_##name##_##T, "_Z" #length #name letter second, (T x, Y y), result)          \
    __hexec_define(T##2, __hexec_m_##name##_##T##2, "_Z" #length #name "Dv2_" letter more(2), (T##2 x, Y##2 y), \
                   (T##2)(__hexec_m_##name##_##T(x.x, y.x), __hexec_m_##name##_##T(x.y, y.y)))               \
    __hexec_define(T##3, __hexec_m_##name##_##T##3, "_Z" #length #name "Dv3_" letter more(3), (T##3 x, Y##3 y), \
                   (T##3)(__hexec_m_##name##_##T##2(x.xy, y.xy), __hexec_m_##name##_##T(x.z, y.z)))          \
    __hexec_define(T##4, __hexec_m_##name##_##T##4, "_Z" #length #name "Dv4_" letter more(4), (T##4 x, Y##4 y), \
                   (T##4)(__hexec_m_##name##_##T##2(x.lo, y.lo), __hexec_m_##name##_##T##2(x.hi, y.hi)))     \
    __hexec_define(T##8, __hexec_m_##name##_##T##8, "_Z" #length #name "Dv8_" letter more(8), (T##8 x, Y##8 y), \
                   (T##8)(__hexec_m_##name##_##T##4(x.lo, y.lo), __hexec_m_##name##_##T##4(x.hi, y.hi)))     \
    __hexec_define(T##16, __hexec_m_##name##_##T##16, "_Z" #length #name "Dv16_" letter more(16),            \
                   (T##16 x, Y##16 y),                                                                       \
                   (T##16)(__hexec_m_##name##_##T##8(x.lo, y.lo), __hexec_m_##name##_##T##8(x.hi, y.hi)))
#define __hexec_of_three(length, name, T, W, letter, result)                                                 \
    __hexec_define(T##W, __hexec_m_##name##_##T##W, "_Z" #length #name "Dv" #W "_" letter "S_S_",            \
                   (T##W x, T##W y, T##W z), result)
#define __hexec_three(length, name, T, letter, result)                                                       \
    __hexec_define(T, __hexec_m_##name##_##T, "_Z" #length #name letter letter letter, (T x, T y, T z), result) \
    __hexec_of_three(length, name, T, 2, letter,                                                             \
                     (T##2)(__hexec_m_##name##_##T(x.x, y.x, z.x), __hexec_m_##name##_##T(x.y, y.y, z.y)))   \
    __hexec_of_three(length, name, T, 3, letter,                                                             \
                     (T##3)(__hexec_m_##name##_##T##2(x.xy, y.xy, z.xy), __hexec_m_##name##_##T(x.z, y.z, z.z))) \
    __hexec_of_three(length, name, T, 4, letter,                                                             \
                     (T##4)(__hexec_m_##name##_##T##2(x.lo, y.lo, z.lo), __hexec_m_##name##_##T##2(x.hi, y.hi, z.hi))) \
    __hexec_of_three(length, name, T, 8, letter,                                                             \
                     (T##8)(__hexec_m_##name##_##T##4(x.lo, y.lo, z.lo), __hexec_m_##name##_##T##4(x.hi, y.hi, z.hi))) \
    __hexec_of_three(length, name, T, 16, letter,                                                            \
                     (T##16)(__hexec_m_##name##_##T##8(x.lo, y.lo, z.lo), __hexec_m_##name##_##T##8(x.hi, y.hi, z.hi)))
#define __hexec_same(W)     "S_"
#define __hexec_integers(W) "Dv" #W "_i"
