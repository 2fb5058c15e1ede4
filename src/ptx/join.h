/* The device library: functions that modules call and do not define, as PTX that the build makes. */
#pragma once

#include "base/text.h"

struct ptx_parser;

/* Reads the functions that the module behind the parser lacks and the device library has. */
void ptx_join_library(struct ptx_parser *parser);
/* Why a function cannot be called that is nowhere. */
const char *ptx_join_lack(struct slice function);
