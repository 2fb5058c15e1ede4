/* What the compiler of imported kernels says for debuggers: sections of DWARF, and where the code and the
 * variables that they name went. Programs have it that are loaded for a debugger (for_debugging).
 *
 * The sections' addresses are made so that they need no relocation. A place in the code is the number of a
 * byte of the PTX text. A variable of the PTX is DEBUG_SYMBOL with the index of its name, and a distance from
 * its begin in the lowest 32 bits. */
#pragma once

#include "base/text.h"
#include "hexec/isa.h"

#define DEBUG_SYMBOL            (UINT64_C(1) << 63)
#define DEBUG_SYMBOL_INDEX(at)  ((uint32_t)((at) >> 32 & 0x7fffffff))
#define DEBUG_SYMBOL_OFFSET(at) ((int32_t)(uint32_t)(at))
#define DEBUG_SYMBOL_AT(index)  (DEBUG_SYMBOL | (uint64_t)(index) << 32)
/* A distance further: of the symbol it stays. */
#define DEBUG_SYMBOL_MOVED(at, by) (((at) & ~UINT64_C(0xffffffff)) | (uint32_t)((at) + (by)))
#define DEBUG_SYMBOLS_MOST         0x7fffffffu
#define DEBUG_NO_POSITION          UINT32_MAX

enum debug_section { DEBUG_INFO, DEBUG_ABBREV, DEBUG_STR, DEBUG_SECTIONS };
extern const char *const debug_section_names[DEBUG_SECTIONS]; /* ".debug_info", ... */

/* What .file of the PTX says. */
struct debug_file {
    uint64_t number;
    const struct source *source;
    bool is_hidden; /* of hexec's headers or the compiler's own, which nobody wants to step through */
};

/* A call that the compiler has inlined, as .loc of the PTX tells it: its code is between two bytes of the
 * text. */
#define DEBUG_NOT_INLINED UINT32_MAX
struct debug_inlined {
    struct slice name; /* of the function, as the PTX has it */
    uint64_t file;     /* ... where it is called: the number of a debug_file, */
    uint32_t line, column;
    uint32_t parent; /* the index of the call around it; DEBUG_NOT_INLINED: none */
    uint64_t low, high;
};

struct program_debug {
    struct slice sections[DEBUG_SECTIONS]; /* empty where there is none */
    struct slice *symbols;                 /* names of variables of the PTX */
    size_t symbol_count;
    struct debug_file *files;
    size_t file_count;
    struct debug_inlined *inlined; /* outer ones before those in them */
    size_t inlined_count;
};

/* Where a variable of the PTX is while one of some instructions runs. */
enum debug_home {
    DEBUG_IN_LOCAL,    /* `index`: of the kernel's arrays in local memory */
    DEBUG_IN_FRAME,    /* `offset` bytes behind where the function's frame begins */
    DEBUG_IN_SHARED,   /* `index`: of the kernel's arrays in shared memory */
    DEBUG_IN_CONSTANT, /* `index`: of the program's constants */
    DEBUG_IN_BUFFER    /* `index`: of the program's buffers */
};
struct debug_place {
    struct slice name;
    enum debug_home home;
    uint32_t index;
    uint32_t unit; /* whose instructions; DEBUG_ANY_UNIT: all of the kernel's */
    int64_t offset;
};
#define DEBUG_ANY_UNIT UINT32_MAX

/* The kernel itself, first, and each function that it calls: code of its own. */
struct debug_unit {
    const char *name;    /* of C++ the identifier alone */
    const char *symbol;  /* as the PTX has it */
    uint32_t first, end; /* its instructions */
    uint32_t body;       /* the first one of its body: its frame is taken before it */
    uint32_t close;      /* the last that has the frame */
    bool has_frame;
};

/* A label of a file of PTX, and where its code went: of a function that is inlined there are several. */
struct debug_label {
    const char *name;
    uint32_t instruction;
};
/* A register of a file of PTX, and the one of hexec that has its value before the instructions from
 * `first` to `end`. One of hexec may have the values of several, one after the other. */
struct debug_register {
    const char *name;  /* "%r2" */
    enum hx_type type; /* NONE: values of any type of its width */
    uint8_t bits;
    uint8_t real;
    bool is_predicate;
    uint32_t first, end;
};

struct kernel_debug {
    uint32_t
        *positions; /* of each instruction: the byte of the PTX where its statement begins, or NO_POSITION */
    struct debug_unit *units;
    size_t unit_count;
    struct debug_place *places;
    size_t place_count;
    struct debug_label *labels; /* those of programs that are written in PTX */
    size_t label_count;
    struct debug_register *registers; /* the same */
    size_t register_count;
};
/* A register of a thread that runs a function says where its frame is in local memory; the first 8 bytes of a
 * frame have what it was before. */
#define DEBUG_FRAME_REGISTER 255
