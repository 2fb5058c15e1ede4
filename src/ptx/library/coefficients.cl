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

/* P of order 0, of (8 / x)^2; off by at most 3.4e-19 of it */
static constant const double P0[] = {
    0x1.0000000000000p+0,
    -0x1.1fffffffffe9ap-10,
    0x1.cb5ffffe56fc3p-16,
    -0x1.251ee66c5e654p-19,
    0x1.84bc4e9e1694bp-22,
    -0x1.b7f1d9eb62fb7p-24,
    0x1.7a1c0291c58d8p-25,
    -0x1.c0801147d3d12p-26,
    0x1.45a68ded76256p-26,
    -0x1.f1eaf2c1cd50ep-27,
    0x1.5a6135b9071c7p-27,
    -0x1.84ee35d2b406cp-28,
    0x1.3c15204c84907p-29,
    -0x1.433c962e72a4cp-31,
    0x1.34caa63b42a25p-34};

/* x Q of order 0, of (8 / x)^2; off by at most 2.6e-17 of it */
static constant const double Q0[] = {
    -0x1.0000000000000p-3,
    0x1.2bffffffff27ep-10,
    -0x1.d11dfff7faba1p-15,
    0x1.ba4c51de0d9c0p-18,
    -0x1.8614b6da8452ep-20,
    0x1.138453718ab06p-21,
    -0x1.1b3f9c388fbe9p-22,
    0x1.832c520a7599cp-23,
    -0x1.376fc55b77a81p-23,
    0x1.fcd748300b5f9p-24,
    -0x1.709cd611418f5p-24,
    0x1.a8447c42d5551p-25,
    -0x1.5e3dbd798a239p-26,
    0x1.69e63744d87f1p-28,
    -0x1.5c3728da52fb4p-31};

#define J0_ZEROS 0x1.721fb80462bbbp+2, 0x1.db60c816c15d3p-52, 0x1.e78a4a621dd6fp+4, -0x1.10d7c5048826bp-52, 0x1.2b8c4b8215768p+6, 0x1.ecdd94e0187e2p-50
/* J0(x) without its first three zeros, of x^2 / 32 - 1; off by at most 5.8e-17 of it */
static constant const double J0[] = {
    -0x1.bf5476c0ed835p-16,
    0x1.ef7b16178a92ep-16,
    -0x1.e3fa7b13ac12dp-17,
    0x1.19a1b2886dd68p-18,
    -0x1.bc248dfa4308bp-21,
    0x1.feca5d1cd8196p-24,
    -0x1.c1a7453acd45ep-27,
    0x1.39ad2e53d5612p-30,
    -0x1.64040c0339ba1p-34,
    0x1.4f8dc89bdc070p-38,
    -0x1.0b0f66cc40821p-42,
    0x1.6bf36763a08fap-47,
    -0x1.ada13fdff0b77p-52,
    0x1.bbb4dee401a6bp-57,
    -0x1.946347557a7dap-62,
    0x1.47b554a9d04a1p-67,
    -0x1.dc3ee801e71bbp-73,
    0x1.36fd558ea7722p-78};

/* Y0(x) - 2 / pi (ln(x) J0(x) - 0 / x), by x^0, of x^2; off by at most 9.3e-16 of it */
static constant const double R0[] = {
    -0x1.2e4d699cbd01fp-4,
    0x1.6bbcb41034286p-3,
    -0x1.075b1bbf41364p-6,
    0x1.1a6206b7b973dp-11,
    -0x1.3e99794203bbdp-17,
    0x1.bce4a600d3ea4p-24,
    -0x1.a6ee796b8712ep-31,
    0x1.2393d82c55190p-38,
    -0x1.31085d5e80a4cp-46,
    0x1.f4ec1a6cf40adp-55,
    -0x1.4a15fc4af0f4cp-63};

#define Y0_0_ZEROS 0x1.c982eb8d417eap-1, 0x1.ea9d270347f83p-56
/* Y0(x) without zeros, x = 1.05 + 0.45 t, of t; off by at most 1.5e-16 of it */
static constant const double Y0_0[] = {
    0x1.9d3b65cd4be1ep-1,
    -0x1.9298c7f17ac0ep-3,
    0x1.d1261cf718bacp-6,
    -0x1.7c67996106ea1p-7,
    0x1.2b7f6db283ad0p-8,
    -0x1.ae72c53e61180p-10,
    0x1.3e23fb6e4bebfp-11,
    -0x1.e0a9c0db3d186p-13,
    0x1.70051c0716b9dp-14,
    -0x1.1ce8530ae64a2p-15,
    0x1.bd36b211dbe13p-17,
    -0x1.5e7a706f2e829p-18,
    0x1.15c6f989eb037p-19,
    -0x1.bc75ac2032a55p-21,
    0x1.6407be0e55780p-22,
    -0x1.130aeaa9c24cfp-23,
    0x1.bbc7f0ed4e5fbp-25,
    -0x1.ccec8ef8d9a0ep-26,
    0x1.77a8e6f139ea4p-27,
    -0x1.582433d7ce49cp-32,
    0x1.f4ed4876bae44p-34,
    -0x1.d407396ef29d2p-30,
    0x1.814aae022e0bap-31};

#define Y0_1_ZEROS 0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54
/* Y0(x) without zeros, x = 2.5 + 1.0 t, of t; off by at most 1.3e-16 of it */
static constant const double Y0_1[] = {
    -0x1.5de34dbd605c0p-2,
    -0x1.130cfa65185cfp-3,
    0x1.e0c76abfe35d1p-5,
    0x1.923d237fdc589p-8,
    -0x1.7e14b146769acp-10,
    -0x1.043b339dc43b3p-11,
    0x1.1c4fcf01c9235p-13,
    -0x1.d99e0d1efb795p-16,
    0x1.70027471a60f6p-17,
    -0x1.1b5d60ac5645cp-18,
    0x1.9bb9d913eb1dap-20,
    -0x1.2de7dd14e35abp-21,
    0x1.bf283bfe6dedap-23,
    -0x1.4d58a945f8fd0p-24,
    0x1.f26ed1c11fe8cp-26,
    -0x1.6ec629c4006f9p-27,
    0x1.1437dee476afcp-28,
    -0x1.e38722cc21a2fp-30,
    0x1.6f3ed92b0d562p-31,
    -0x1.783f1568bf534p-34,
    0x1.1a110afe5e4a1p-35,
    -0x1.5df30c4448054p-34,
    0x1.0ca2ecf75b3f9p-35};

#define Y0_2_ZEROS 0x1.fa9534d98569cp+1, -0x1.f06ae7804384ep-54, 0x1.c581dc4e72103p+2, -0x1.9774a495f56cfp-54
/* Y0(x) without zeros, x = 5.75 + 2.25 t, of t; off by at most 1.2e-17 of it */
static constant const double Y0_2[] = {
    0x1.148786dc54b56p-3,
    -0x1.479f5a2e96c94p-5,
    -0x1.bcfd8bd1e4a3cp-5,
    0x1.d5aaa955747cdp-7,
    0x1.f9e9bf8485244p-8,
    -0x1.d7b778bedc747p-10,
    -0x1.432909d8e32cfp-11,
    0x1.124c2f23a9bd8p-13,
    0x1.e959bd97905b9p-16,
    -0x1.68bc8fc3ff5a0p-18,
    -0x1.3c4ca70afaecep-20,
    0x1.f1cfd90ae05aep-23,
    0x1.0317f04b20034p-27,
    0x1.794504a28272fp-29,
    -0x1.a8960103f0697p-29,
    0x1.178ad7d4b18d6p-30,
    -0x1.788b24e592d0cp-32,
    0x1.44c5ff78c9221p-33,
    -0x1.ea88125f2e2a2p-35,
    0x1.1f45b4101f452p-37,
    -0x1.aa147d0cafbe8p-39,
    0x1.b535016adddc3p-38,
    -0x1.49b89d1bfdbdep-39};

/* I0(x) sqrt(x) / exp(x) of 15 / x; off by at most 6.2e-17 of it */
static constant const double I0[] = {
    0x1.9884533d43651p-2,
    0x1.b3c058c9e17c8p-9,
    0x1.05736879236b9p-13,
    0x1.22803b29e018ep-17,
    0x1.da7c27b0413cap-21,
    0x1.00362de53900cp-23,
    0x1.59439413d9a4ap-26,
    0x1.000bfff0ad158p-28,
    0x1.4e0f7177b0a27p-29,
    -0x1.578dc665eb788p-28,
    0x1.dd040083cf863p-27,
    -0x1.d11779642987bp-26,
    0x1.53c9aeea5daf8p-25,
    -0x1.6b7fc00dc3091p-25,
    0x1.15565f86a7ee9p-25,
    -0x1.1e73fc11cc5efp-26,
    0x1.6b0473f1e131ap-28,
    -0x1.c1632cfa09434p-31,
    0x1.9bcb68d4ea61cp-36};

/* P of order 1, of (8 / x)^2; off by at most 3.6e-19 of it */
static constant const double P1[] = {
    0x1.0000000000000p+0,
    0x1.dfffffffffe87p-10,
    -0x1.274fffff20685p-15,
    0x1.5a6a56575aadfp-19,
    -0x1.b89136839ebb8p-22,
    0x1.e642e7103674ap-24,
    -0x1.9b0c1c95fe89ep-25,
    0x1.e2164e2f84649p-26,
    -0x1.5b76ffdac1421p-26,
    0x1.08749b7aa155ep-26,
    -0x1.6efe159e52980p-27,
    0x1.9b73e5a0c9635p-28,
    -0x1.4e139bc94e0d2p-29,
    0x1.556f0187e2a00p-31,
    -0x1.460af149cdb12p-34};

/* x Q of order 1, of (8 / x)^2; off by at most 9.2e-18 of it */
static constant const double Q1[] = {
    0x1.8000000000000p-2,
    -0x1.a3ffffffff1cfp-10,
    0x1.1c3cfffbc985fp-14,
    -0x1.fe58107b95b3fp-18,
    0x1.b3f929ffd7c62p-20,
    -0x1.2dc37079dc6b9p-21,
    0x1.31f84ad8283b1p-22,
    -0x1.9e42b1040b6ebp-23,
    0x1.4b2b7eadd88d9p-23,
    -0x1.0d897bccc7e3bp-23,
    0x1.85ab5721a233bp-24,
    -0x1.bfed60b4ed9a6p-25,
    0x1.717a408c09e68p-26,
    -0x1.7d93937938e1bp-28,
    0x1.6f044ef97daa3p-31};

#define J1_ZEROS 0x1.d5d2b4189822cp+3, -0x1.c6a0d245172bap-54, 0x1.89bf66072a432p+5, 0x1.25355661cb79cp-51, 0x1.9dff70d785e2cp+6, -0x1.41014eaf35cf6p-49
/* J1(x) without its first three zeros, of x^2 / 32 - 1; off by at most 3.6e-16 of it */
static constant const double J1[] = {
    -0x1.6e07fc146ce70p-19,
    0x1.568e3cbb4ee84p-19,
    -0x1.20d17aa0a1734p-20,
    0x1.2718c18803a36p-22,
    -0x1.9e31ea49a5cadp-25,
    0x1.acc0923dd416cp-28,
    -0x1.56eb395e0d875p-31,
    0x1.b6231f993ea07p-35,
    -0x1.ca79931011e14p-39,
    0x1.90bc3a7511b1fp-43,
    -0x1.2946305eb3f11p-47,
    0x1.7b4baf2e78fa3p-52,
    -0x1.a4d99239e1434p-57,
    0x1.99f7781b35054p-62,
    -0x1.618951f07ded9p-67,
    0x1.0fda5766c1685p-72,
    -0x1.77c77b8345b5bp-78,
    0x1.d3f92f87898f0p-84};

/* Y1(x) - 2 / pi (ln(x) J1(x) - 1 / x), by x^1, of x^2; off by at most 4.7e-17 of it */
static constant const double R1[] = {
    -0x1.91866143cbc8ap-3,
    0x1.bd3975c75b4a7p-5,
    -0x1.835b97894be5bp-9,
    0x1.2c7dbffcde97dp-14,
    -0x1.0a780ac776eacp-20,
    0x1.32e5a4ddeea1cp-27,
    -0x1.f0ce34d202b88p-35,
    0x1.2a4e1ae6d201fp-42,
    -0x1.1474a9c410ab4p-50,
    0x1.978579dc31782p-59,
    -0x1.e422b148eaf85p-68};

#define Y1_0_ZEROS 0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55
/* Y1(x) without zeros, x = 1.4 + 0.4 t, of t; off by at most 3.1e-17 of it */
static constant const double Y1_0[] = {
    0x1.33c0f746afb73p-1,
    -0x1.44ff2a3c3a52fp-5,
    0x1.5b12b4d70afddp-8,
    -0x1.2d942bfb06ebap-8,
    0x1.6987ae427b16fp-10,
    -0x1.8ef73f0febb42p-12,
    0x1.cbf9c2e3b27f1p-14,
    -0x1.08f34ee7937aap-15,
    0x1.30070931eb314p-17,
    -0x1.5c703a29eca2fp-19,
    0x1.8f0c7941db148p-21,
    -0x1.c8c59f9548119p-23,
    0x1.0553fe5142cdep-24,
    -0x1.2af6862622eb7p-26,
    0x1.55ee556f27593p-28,
    -0x1.86802c2183b29p-30,
    0x1.be8326c89855ap-32,
    -0x1.03e34d685b3e5p-33,
    0x1.291e612dd2897p-35,
    -0x1.1fac188c18d05p-37,
    0x1.48dbed04aac33p-39,
    -0x1.625751a13d395p-40,
    0x1.9507de4b7e74fp-42};

#define Y1_1_ZEROS 0x1.193bed4dff243p+1, -0x1.bd1e50d219bfdp-55
/* Y1(x) without zeros, x = 2.4 + 0.6 t, of t; off by at most 1.2e-17 of it */
static constant const double Y1_1[] = {
    0x1.fb40c53922e83p-2,
    -0x1.44eb3a665e21fp-4,
    -0x1.92b353cbf228cp-7,
    0x1.17f61ac4252bdp-14,
    0x1.69bd4226f82a6p-11,
    -0x1.0c73f29227fb0p-13,
    0x1.b198e2ee8a409p-16,
    -0x1.d0b9384a773afp-18,
    0x1.df08c2854e145p-20,
    -0x1.e06f20ca3a1d2p-22,
    0x1.e253bf20a93e5p-24,
    -0x1.e45056d5ce56fp-26,
    0x1.e5d3841f7084fp-28,
    -0x1.e7052ad3927c9p-30,
    0x1.e7fbc9aa7a0a7p-32,
    -0x1.e8937208f1d04p-34,
    0x1.e93b98c5fbc7cp-36,
    -0x1.ed570a80e456fp-38,
    0x1.edced4c3ce44ep-40,
    -0x1.c64747e7e3cf8p-42,
    0x1.c69b7a700f843p-44,
    -0x1.633820bf4223cp-45,
    0x1.636433ed17b55p-47};

#define Y1_2_ZEROS 0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52
/* Y1(x) without zeros, x = 4.0 + 1.0 t, of t; off by at most 2.8e-17 of it */
static constant const double Y1_2[] = {
    -0x1.1d03038687067p-2,
    -0x1.cfddf57f44f6ap-4,
    0x1.507f68f3c4960p-5,
    0x1.0f5b801b3b0d4p-7,
    -0x1.b436eebab52dcp-10,
    -0x1.27d9dc1c3fa5cp-12,
    0x1.6f3569a493c27p-15,
    0x1.5d57b188a2935p-19,
    -0x1.3d2c61bdd34a6p-24,
    -0x1.39126f5747dfdp-23,
    0x1.0313307a465c8p-25,
    -0x1.b0bfea2dcee7bp-28,
    0x1.c27090afdbbc0p-30,
    -0x1.cdddf705e00a9p-32,
    0x1.cf27ddc3d3a28p-34,
    -0x1.d074279f21308p-36,
    0x1.d24557d15a2d3p-38,
    -0x1.d731798b61f11p-40,
    0x1.d87117af2c9c1p-42,
    -0x1.b3145f4978578p-44,
    0x1.b3f7716e2d5abp-46,
    -0x1.555c511136b35p-47,
    0x1.55d3eca8e05e5p-49};

#define Y1_3_ZEROS 0x1.5b7fe4e87b02ep+2, 0x1.dfe7bac228e8cp-52
/* Y1(x) without zeros, x = 6.5 + 1.5 t, of t; off by at most 4.5e-17 of it */
static constant const double Y1_3[] = {
    -0x1.063ad05f38b63p-2,
    0x1.66cc44a36b0bbp-3,
    0x1.d27d906bd9a5fp-5,
    -0x1.2a2d1e1cc4eafp-5,
    -0x1.f1b01505f4475p-9,
    0x1.56e0173da85c5p-9,
    0x1.10101d24f0114p-13,
    -0x1.a2659d897765ap-14,
    -0x1.3fa3bce63e726p-19,
    0x1.34b55ce8f0cddp-19,
    0x1.46152461844a0p-25,
    -0x1.4e230ff4a2d08p-25,
    0x1.eb0883507bbd8p-34,
    0x1.8090969a67b68p-32,
    0x1.77e738e8288aap-36,
    -0x1.2d0a917ecb9e5p-37,
    0x1.3203063aa997cp-40,
    -0x1.ff1e2c59e9a7dp-43,
    0x1.09899d74adbbdp-44,
    -0x1.d6bd4cf6e8c2ap-47,
    0x1.af748e069299cp-49,
    -0x1.20bb4a6617a71p-50,
    0x1.0b929fbbf1300p-52};

/* I1(x) sqrt(x) / exp(x) of 15 / x; off by at most 6.3e-17 of it */
static constant const double I1[] = {
    0x1.9884533d43651p-2,
    -0x1.46d04297691d9p-7,
    -0x1.b3c058c9e4055p-13,
    -0x1.96b3860a5d387p-17,
    -0x1.3106aa3215b8fp-20,
    -0x1.39265a06f7d96p-23,
    -0x1.97e53ac924f29p-26,
    -0x1.2abd51c9675cfp-28,
    -0x1.5e9e0676a6db8p-29,
    0x1.5359bec328b2dp-28,
    -0x1.d91a17f0d14b3p-27,
    0x1.cb31f98ac6c1cp-26,
    -0x1.4dcdea64db53ep-25,
    0x1.6280ff4c1c7c2p-25,
    -0x1.0b8ba9e5e2132p-25,
    0x1.0f66e205901cfp-26,
    -0x1.4c1a5ea15a2c2p-28,
    0x1.755b06b43849dp-31,
    -0x1.2b110a068a372p-38};

