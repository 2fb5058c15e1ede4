/* JSON that somebody else wrote, read in place: traces that are merged, answers of collectors. */
#pragma once

#include "base/diag.h"
#include "base/text.h"

/* Where a scanner stands; after a mistake nothing more is taken. */
struct scanner {
    struct source source; /* all of the text, for places of mistakes */
    const char *at, *end;
    hx_diag *diag;       /* NULL: mistakes are only a status */
    enum diag_code code; /* of an error, where there is a diag */
    hx_status status;
};

/* Reports a mistake where the scanner stands, the first one alone. */
void scan_fail(struct scanner *scanner, const char *what);
/* Takes a letter, behind blanks. False: something else is there, which stays. */
bool scan_take(struct scanner *scanner, char wanted);
/* Takes a string; what is between its quotes, as it is written. */
struct slice scan_string(struct scanner *scanner);
/* Within an object whose { was taken: the next member's name and colon, or the }. `first` begins as true. */
bool scan_key(struct scanner *scanner, bool *first, struct slice *ret_key);
/* The same within an array. */
bool scan_item(struct scanner *scanner, bool *first);
/* Takes any value; its text. Numbers and words are not looked at closer than they have to be. */
struct slice scan_value(struct scanner *scanner);
/* Appends what a string means, as UTF-8. */
void scan_unescape(struct slice string, struct text *ret_text);
