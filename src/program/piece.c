/* Parts of a source text: takes a piece, leaves a part of it with the place where that stands. */
#include "program/piece.h"

struct piece piece_of_scalar(struct slice text, struct place place)
{
    const bool is_quoted = place.length == (int)text.length + 2;
    if (is_quoted)
        place.column++;
    const bool is_fixed = !is_quoted && place.length != (int)text.length;
    if (!is_fixed)
        place.length = (int)text.length;
    return (struct piece){text, place, is_fixed};
}

struct piece piece_part(struct piece piece, size_t start, size_t length)
{
    struct slice part = slice_trim((struct slice){piece.text.at + start, length});
    struct place place = piece.place;
    if (!piece.is_fixed) {
        place.column += (int)(part.at - piece.text.at);
        place.length = part.length ? (int)part.length : 1;
    }
    return (struct piece){part, place, piece.is_fixed};
}

bool piece_next_dotted(struct piece piece, size_t *at, struct piece *ret_part)
{
    if (*at > piece.text.length)
        return false;
    const char *start = piece.text.at + *at,
               *dot = *at < piece.text.length ? memchr(start, '.', piece.text.length - *at) : NULL;
    size_t length = dot ? (size_t)(dot - start) : piece.text.length - *at;
    *ret_part = piece_part(piece, *at, length);
    *at += length + 1;
    return true;
}
