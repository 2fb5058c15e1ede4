/* Made by tools/accuracy/fit.py. */

/* (atan(x) - x) / x^3 of x^2, x up to tan(pi/8); off by at most 6.0e-17 of it */
static constant const double ATAN[] = {
    -0x1.5555555555555p-2,
    0x1.9999999999953p-3,
    -0x1.249249248d7d1p-3,
    0x1.c71c71c3035c8p-4,
    -0x1.745d165db0b8dp-4,
    0x1.3b1392d24f334p-4,
    -0x1.110e878213478p-4,
    0x1.e19a0779858c6p-5,
    -0x1.ac7a3950dfaa5p-5,
    0x1.74dc387c1923ap-5,
    -0x1.1b2f96cc7bc6cp-5,
    0x1.0aca40aee5b44p-6};

/* (asin(x) - x) / x^3 of x^2, x up to 1/2; off by at most 5.5e-17 of it */
static constant const double ASIN[] = {
    0x1.5555555555555p-3,
    0x1.3333333333388p-4,
    0x1.6db6db6dac1e0p-5,
    0x1.f1c71c7a52ba3p-6,
    0x1.6e8ba123e494cp-6,
    0x1.1c4efce2301a0p-6,
    0x1.c990ad3d8fd9dp-7,
    0x1.7b027ee1dd760p-7,
    0x1.3b49de71206b7p-7,
    0x1.31622469d2cfep-7,
    0x1.8f19374302e27p-9,
    0x1.406192d13645dp-6,
    -0x1.3b416bb7f10f2p-6,
    0x1.e529c6fcf7efbp-6};

/* (expm1(x) - x - x^2/2) / x^3, |x| up to ln(2)/2; off by at most 6.4e-17 of it */
static constant const double EXPM1[] = {
    0x1.5555555555555p-3,
    0x1.5555555555556p-5,
    0x1.1111111111112p-7,
    0x1.6c16c16c162a2p-10,
    0x1.a01a01a01924ap-13,
    0x1.a01a01a6f38cep-16,
    0x1.71de3a5cb5319p-19,
    0x1.27e4db0f0d4ffp-22,
    0x1.ae642099c4576p-26,
    0x1.1f73b454f7f60p-29,
    0x1.61d7081008c52p-33};

/* (1 + 2 x) erfcx(x), x = 4 (1 + t) / (1 - t), of t; off by at most 6.4e-17 of it */
static constant const double ERFCX[] = {
    0x1.3ba5916e9fd7fp+0,
    -0x1.1df1ad154a286p-3,
    0x1.f7f5df66fd797p-7,
    0x1.16ecefcfa4d10p-4,
    -0x1.9ddb23c3e8f13p-4,
    0x1.7fee004e1eefep-4,
    -0x1.0fb06dfe4c6c0p-4,
    0x1.3079edf5181dfp-5,
    -0x1.09623884747dbp-6,
    0x1.49c672e199469p-8,
    -0x1.8d4a9a6465372p-11,
    -0x1.a1df5e81f57b4p-13,
    0x1.3be0432bfa860p-13,
    -0x1.99537515467bep-16,
    -0x1.7884d2487d5efp-17,
    0x1.7ef644c7815aap-18,
    0x1.393f4d359a7fcp-22,
    -0x1.b8ce493292da4p-21,
    0x1.4dcd6b6d85458p-24,
    0x1.c8a212189b420p-24,
    -0x1.64110b1736fc2p-26,
    -0x1.a7f4a11380e65p-27,
    0x1.bc41def3d5cfcp-29,
    0x1.ff247156a5379p-31,
    -0x1.2feb115e1104cp-32};

/* gamma((x + 5) / 2) of x; off by at most 1.5e-17 of it */
static constant const double GAMMA[] = {
    0x1.544fa6d47b390p+0,
    0x1.de9585f1a7093p-2,
    0x1.4f224d4b7e01cp-3,
    0x1.03f6d2fa4f4f9p-5,
    0x1.c138b89492c57p-8,
    0x1.d0a9bc49352b4p-11,
    0x1.5489cc6ba9e9bp-13,
    0x1.a55ed20e78839p-17,
    0x1.8b8fcdab80095p-19,
    0x1.08875c219a61fp-27,
    0x1.013c8f3340628p-24,
    -0x1.ad8d5e0087482p-28,
    0x1.e6ccdaf32fdfcp-30,
    -0x1.57a171a618ffdp-32,
    0x1.227cc464858c6p-34,
    -0x1.c8ae880544984p-37,
    0x1.705ccd07057aep-39,
    -0x1.26c29fa1f6e8bp-41,
    0x1.d84a78daeb64ep-44,
    -0x1.6ef334f37a318p-46,
    0x1.25af0cf4ee014p-48,
    -0x1.31384346b1983p-50,
    0x1.e86df8f4b4babp-53};

/* lgamma(y) / ((y - 1) (y - 2)), y = 1 + (x + 1) / 2, of x; off by at most 3.5e-17 of it */
static constant const double LGAMMA_1[] = {
    0x1.eeb95b094c191p-2,
    -0x1.2aed059bd608ap-4,
    0x1.01af62a2929e8p-6,
    -0x1.007aa83cee106p-8,
    0x1.1334235278e97p-10,
    -0x1.34dbda14a534ep-12,
    0x1.64f066526297dp-14,
    -0x1.a5035229e81b4p-16,
    0x1.f814b7a8ea944p-18,
    -0x1.313e8bbbf0a5cp-19,
    0x1.750aeafce189cp-21,
    -0x1.cb449093f4d2bp-23,
    0x1.1c73d7bb3879ap-24,
    -0x1.624418c291d11p-26,
    0x1.bb1b2f70eda70p-28,
    -0x1.153682ea04d6ap-29,
    0x1.5d42c628edbecp-31,
    -0x1.caf7091c01f9bp-33,
    0x1.22f60ff768e29p-34,
    -0x1.0f1aa0b730e2ep-36,
    0x1.5841c8f950e54p-38,
    -0x1.0b7547cbef874p-38,
    0x1.5690ac55f96fcp-40};

/* lgamma(y) / ((y - 1) (y - 2)), y = 2 + (x + 1) / 2, of x; off by at most 7.3e-17 of it */
static constant const double LGAMMA_2[] = {
    0x1.84afe00cddfdfp-2,
    -0x1.31d26e9323010p-5,
    0x1.462044b0af671p-8,
    -0x1.8a722dfc5d7ffp-11,
    0x1.feef08b132011p-14,
    -0x1.59512000e4197p-16,
    0x1.e05c3c3c02437p-19,
    -0x1.5501aaff316cbp-21,
    0x1.eb8f744b606b1p-24,
    -0x1.66707ff518864p-26,
    0x1.07c76832344aep-28,
    -0x1.871ecb8b1dd54p-31,
    0x1.23bdd24902f33p-33,
    -0x1.b574c4b73dab1p-36,
    0x1.496722bda5254p-38,
    -0x1.f1eb81d2e3c8ep-41,
    0x1.799219f6c9bc9p-43,
    -0x1.1f7f63f43ce69p-45,
    0x1.b6671712e3859p-48,
    -0x1.46e9cf1f91f54p-50,
    0x1.f499b72cbdc10p-53,
    -0x1.e7dc81b0b46fep-55,
    0x1.772f9b0ac027cp-57};

/* erfinv(y) / y of -ln(1 - y^2), up to 6.25; off by at most 7.3e-9 of it */
static constant const double ERFINV_MIDDLE[] = {
    0x1.c5bf8954b1efap-1,
    0x1.db29d1dd97ec2p-3,
    0x1.7a869b30a009fp-7,
    -0x1.32fc584544099p-9,
    -0x1.ebcc9526329c9p-14,
    0x1.3573547423669p-15,
    0x1.f63533bb10a57p-18,
    -0x1.8d7d315b72862p-19,
    0x1.a0608865417ccp-22,
    -0x1.a0cf3712e5580p-26,
    0x1.4281e61b3c6b3p-31,
    0x1.4bcae81c3f982p-39};

/* erfinv(y) / sqrt(-ln(1 - y^2)) of 1 / sqrt(-ln(1 - y^2)), that from 2.5 to 27.5; off by at most 3.4e-8 of it */
static constant const double ERFINV_TAIL[] = {
    0x1.000535fcdc722p+0,
    -0x1.c21269b9715ecp-7,
    -0x1.9405ca1791a4ap+0,
    0x1.447120fa30bd7p+3,
    -0x1.02b0735d4f3ddp+6,
    0x1.6a280207c7359p+8,
    -0x1.81fd57c6dafbep+10,
    0x1.2a76bb82a6a09p+12,
    -0x1.429f4e583305ap+13,
    0x1.cceddcd61f04cp+13,
    -0x1.866a04d3699fdp+13,
    0x1.28865be967a24p+12};

/* lgamma(x) = (x - 1/2) ln(x) - x + ln(2 pi) / 2 + 1/x times this of 1/x^2 (Stirling's series) */
static constant const double STIRLING[] = {
    0x1.5555555555555p-4,
    -0x1.6c16c16c16c17p-9,
    0x1.a01a01a01a01ap-11,
    -0x1.3813813813814p-11,
    0x1.b951e2b18ff23p-11,
    -0x1.f6ab0d9993c7dp-10,
    0x1.a41a41a41a41ap-8,
    -0x1.e4286cb0f5398p-6,
    0x1.6fe96381e0680p-3,
    -0x1.6476701181f3ap+0};
