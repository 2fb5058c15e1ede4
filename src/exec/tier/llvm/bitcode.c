/* Bitcode of rows.c as bytes of the plugin: HX_NAME, HX_NAME_bytes. HX_BITCODE is the file. */
#include <stddef.h>

#define TEXT(x)          TEXT_EXPANDED(x)
#define TEXT_EXPANDED(x) #x
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".globl " TEXT(
        HX_NAME) "\n"
                 ".hidden " TEXT(HX_NAME) "\n" TEXT(
                     HX_NAME) ": .incbin \"" HX_BITCODE "\"\n"
                              "1: .balign 8\n"
                              ".globl " TEXT(
                                  HX_NAME) "_bytes\n"
                                           ".hidden " TEXT(HX_NAME) "_bytes\n" TEXT(
                                               HX_NAME) "_bytes: .quad 1b - " TEXT(HX_NAME) "\n"
                                                                                            ".previous\n");
