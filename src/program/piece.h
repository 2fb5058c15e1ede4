/* Parts of a source text, each with its place. */
#pragma once

#include "yaml/places.h"

/* A run of text with the place where it stands. Pieces of a macro's expansion all stand where the macro does.
 */
struct piece {
    struct slice text;
    struct place place;
    bool is_fixed; /* parts of it have the same place */
};

/* The text of a YAML scalar: with two more bytes than its text it is in quotes, with any other number escapes
 * or line ends are in it, and its parts have no place of their own. */
struct piece piece_of_scalar(struct slice text, struct place place);
/* A part of a piece, without the blanks around it. */
struct piece piece_part(struct piece piece, size_t start, size_t length);
/* The parts between the dots of a piece: the one that begins at *at, which then is behind it. False at the
 * end. */
bool piece_next_dotted(struct piece piece, size_t *at, struct piece *ret_part);
