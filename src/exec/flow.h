/* Handlers of control flow, synchronisation and guards: those that change which lanes run where. */
#pragma once

#include "exec/paths.h"

/* The handler of a FLOW row or of a micro-op of lowering; NULL for every other semantic. */
op_handler flow_handler(int semantic);
