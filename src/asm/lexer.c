/* The lexer: a line of assembly to its pieces.
 *
 * Takes [label:]... [@guard] mnemonic operand, operand ... # comment, leaves slices of the text with their
 * places. It knows what separates pieces (blanks, commas outside brackets, dots) and nothing of what they
 * mean: what is wrong with one is reported by its reader, at its place. */
#include "asm/lexer.h"

#include <string.h>

static struct slice without_comment(struct slice text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.at[i] == '#' || (text.at[i] == '/' && i + 1 < text.length && text.at[i + 1] == '/'))
            return (struct slice){text.at, i};
    return text;
}

static struct slice slice_behind(struct slice text, size_t bytes)
{
    return slice_trim((struct slice){text.at + bytes, text.length - bytes});
}

struct line line_of_code(const struct yaml_node *code, struct slice text, int number)
{
    text = without_comment(text);
    return (struct line){.text = text, .rest = slice_trim(text), .code = code, .number = number};
}

struct line line_of_macro(struct slice text, const struct place *place)
{
    text = without_comment(text);
    return (struct line){.text = text, .rest = slice_trim(text), .fixed = place};
}

static struct piece piece_of(const struct line *line, struct slice part)
{
    part = slice_trim(part);
    if (line->fixed)
        return (struct piece){part, *line->fixed, true};
    int column = (int)(part.at - line->text.at), length = part.length ? (int)part.length : 1;
    struct place place = yaml_place_in_scalar(line->code, line->number, column, length),
                 whole = line->code->place;
    /* a scalar in quotes over several lines has one place for all that is in it */
    bool is_whole = !line->code->is_literal && place.line == whole.line && place.column == whole.column;
    return (struct piece){part, place, is_whole && place.length == whole.length};
}

bool line_take_label(struct line *line, struct piece *ret_name)
{
    struct slice rest = line->rest;
    size_t length = 0;
    while (length < rest.length && text_is_word(rest.at[length]))
        length++;
    size_t colon = length;
    while (colon < rest.length && text_is_blank(rest.at[colon]))
        colon++;
    if (length == 0 || colon >= rest.length || rest.at[colon] != ':')
        return false;
    *ret_name = piece_of(line, (struct slice){rest.at, length});
    line->rest = slice_behind(rest, colon + 1);
    return true;
}

static size_t word_length(struct slice text)
{
    size_t length = 0;
    while (length < text.length && !text_is_blank(text.at[length]))
        length++;
    return length;
}

static void cut_operands(const struct line *line, struct slice text, struct statement *statement)
{
    int depth = 0;
    size_t start = 0;
    for (size_t i = 0; i <= text.length && text.length > 0; i++) {
        char c = i < text.length ? text.at[i] : ',';
        depth += c == '[';
        depth -= c == ']';
        /* r0|p0 are two results, as PTX writes them */
        if ((c != ',' && c != '|') || (depth > 0 && i < text.length))
            continue;
        if (statement->operand_count < STATEMENT_OPERANDS_MAX)
            statement->operands[statement->operand_count] =
                piece_of(line, (struct slice){text.at + start, i - start});
        statement->operand_count++;
        start = i + 1;
    }
}

bool line_cut(const struct line *line, struct statement *ret_statement)
{
    struct slice rest = line->rest;
    *ret_statement = (struct statement){.whole = piece_of(line, rest)};
    if (rest.length == 0)
        return false;
    if (rest.at[0] == '@') {
        size_t length = word_length(rest);
        ret_statement->guard = piece_of(line, (struct slice){rest.at, length});
        rest = slice_behind(rest, length);
    }
    size_t length = word_length(rest);
    ret_statement->mnemonic = piece_of(line, (struct slice){rest.at, length});
    cut_operands(line, slice_behind(rest, length), ret_statement);
    return true;
}
