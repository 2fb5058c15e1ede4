/* Ranges of device addresses. */
#pragma once

#include "isa/isa.h"

/* Bytes that vectors may read behind an element. */
#define BEHIND_ELEMENTS 64

/* A range of device addresses and where its bytes are. */
struct memory_window {
    uint64_t low;  /* first address */
    uint64_t size; /* bytes; 0: nothing fits */
    char *host;    /* of `low` */
};

/* The space that a generic address means; *address becomes what it is there. */
enum hx_space window_resolve(uint64_t *address);
/* The generic address of an address of a space. */
uint64_t window_address(int space, uint64_t address);
