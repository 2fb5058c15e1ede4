/* Mangled names and what they are in the source. The expected names are those of binutils' c++filt, but for
 * the results of templates, which it shows. */
#include "base/demangle.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *readable;
} names[] = {
    {"saxpy", "saxpy"},
    {"_Z3addPfi", "add(float*, int)"},
    {"_Z1gv", "g()"},
    {"_Z1fPyPKc6float2", "f(unsigned long long*, char const*, float2)"},
    {"_ZN1n1gENS_1sEPd", "n::g(n::s, double*)"},
    {"_Z3fooPvS_S_", "foo(void*, void*, void*)"},
    {"_Z4copyPKfPfj", "copy(float const*, float*, unsigned int)"},
    {"_Z5twiceIiEvT_S0_", "twice<int>(int, int)"},
    {"_Z3maxIfET_S0_S0_", "max<float>(float, float)"},
    {"_Z6kernelIfLi16EEvPT_PKS0_i", "kernel<float, 16>(float*, float const*, int)"},
    {"_Z9transposeILb1ELin8EEvPfS0_", "transpose<true, -8>(float*, float*)"},
    {"_ZN12_GLOBAL__N_11kEPiS0_", "(anonymous namespace)::k(int*, int*)"},
    {"_ZN1a1b1cEPNS_1dENS0_1eE", "a::b::c(a::d*, a::b::e)"},
    {"_Z1hRKSt4pairIifE", "h(std::pair<int, float> const&)"},
    {"_ZL1kPi", "k(int*)"},
    {"_Z3addPfi.kd", "add(float*, int)"},
    {"_ZNK12_GLOBAL__N_13funclEf", "(anonymous namespace)::fun::operator()(float)"},
    {"_ZNK12_GLOBAL__N_13funcvfEv", "(anonymous namespace)::fun::operator float()"},
    {"_ZN12_GLOBAL__N_13boxIfEpLEf", "(anonymous namespace)::box<float>::operator+=(float)"},
    {"_ZN3boxIfEC2Ef", "box<float>::box(float)"},
    {"_ZN1n3boxD1Ev", "n::box::~box()"},
    {"_Zpl1aS_", "operator+(a, a)"},
    {"_ZlsRSoRK1a", "operator<<"},
    {"_ZZ1kPfiENKUlfE_clEf", "k(float*, int)::{lambda(float)#1}::operator()(float)"},
    {"_ZZ1kPfENKUlvE0_clEv", "k(float*)::{lambda()#2}::operator()()"},
    {"_ZZ1kPfiEN3box3getEv", "k(float*, int)::box::get()"},
    {"_ZN1aixEi", "a::operator[](int)"},
    /* parameters that are not understood, and names that are none */
    {"_Z1fPFivE", "f"},
    {"_Z1fDv4_f", "f"},
    {"_Z", "_Z"},
    {"_Z3ad", "_Z3ad"},
    {"_Z99999999999x", "_Z99999999999x"},
    {"_ZN1aE1bS9_", "a"},
    {"", ""},
};

START_TEST(name_is_readable)
{
    for (size_t i = 0; i < HX_COUNT_OF(names); i++) {
        struct text out HX_AUTO(text_done) = {0};
        demangle(&out, names[i].name);
        ck_assert_str_eq(out.at ? out.at : "", names[i].readable);
    }
}
END_TEST

/* Whatever a name is cut to, it is read within its end. */
START_TEST(name_may_end_anywhere)
{
    char cut[64];
    for (size_t i = 0; i < HX_COUNT_OF(names); i++)
        for (size_t length = 0; length <= strlen(names[i].name); length++) {
            struct text out HX_AUTO(text_done) = {0};
            snprintf(cut, sizeof cut, "%.*s", (int)length, names[i].name);
            demangle(&out, cut);
            ck_assert(!out.failed);
        }
}
END_TEST

UNIT_MAIN("base/demangle", name_is_readable, name_may_end_anywhere)
