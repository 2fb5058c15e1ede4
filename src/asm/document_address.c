/* Addresses in a YAML document: values of parameters and arrays, and parameters of launches.
 *
 * What an address leads to may stand behind it, so parameters and arrays are read first, with 0 in the places
 * of addresses; when all arrays are there, the addresses are read. */
#include "asm/reading.h"

void reading_keep_address(struct reading *reading, const struct pending_address *address)
{
    if (!LIST_PUSH(reading->program->arena.allocator, &reading->pending, *address))
        reading_note(reading, diag_no_memory(reading->diag));
}

typedef LIST(struct relocation) relocation_list;

/* Gives a fill what was found of its addresses. */
static void keep_relocations(struct reading *reading, struct fill *fill, relocation_list *relocations)
{
    if (!fill || relocations->count == 0)
        return;
    struct relocation *kept = reading_allocate(reading, relocations->count, sizeof *kept);
    if (kept)
        memcpy(kept, relocations->items, relocations->count * sizeof *kept);
    fill->relocations = kept;
    fill->relocation_count = kept ? relocations->count : 0;
    relocations->count = 0;
}

static void read_element(struct reading *reading, const struct pending_address *pending,
                         relocation_list *relocations)
{
    struct relocation relocation = {.element = pending->element};
    if (reading_note(reading, address_read(&reading->names, pending->word, pending->type, reading->diag,
                                           &relocation.address)) == HX_OK &&
        !LIST_PUSH(reading->program->arena.allocator, relocations, relocation))
        reading_note(reading, diag_no_memory(reading->diag));
}

void reading_addresses(struct reading *reading)
{
    const hx_program *program = reading->program;
    relocation_list relocations = {0};
    struct fill *fill = NULL;
    if (reading_note(reading, address_names_make(program, reading->diag, &reading->names)) != HX_OK)
        return;
    for (size_t i = 0; i < reading->pending.count && reading->status != HX_NO_MEMORY; i++) {
        const struct pending_address *pending = &reading->pending.items[i];
        if (pending->fill != fill)
            keep_relocations(reading, fill, &relocations);
        fill = pending->fill;
        if (fill)
            read_element(reading, pending, &relocations);
        else
            reading_note(reading,
                         address_read_param(&reading->names, pending->word, pending->param, reading->diag));
    }
    keep_relocations(reading, fill, &relocations);
    LIST_DONE(program->arena.allocator, &relocations);
}

void reading_done(struct reading *reading)
{
    LIST_DONE(reading->program->arena.allocator, &reading->pending);
    address_names_done(&reading->names);
}

/* "$x + 4 * n": the target, and an expression that begins with 0 in the target's place. */
void reading_setting_address(struct reading *reading, const struct yaml_node *node,
                             struct param_setting *setting)
{
    const struct piece word = piece_of_scalar(node->text, node->place);
    const enum hx_type type = reading->program->params[setting->param].type;
    size_t length;
    if (reading_note(reading, address_read_target(&reading->names, word, type, reading->diag,
                                                  &setting->target, &length)) != HX_OK)
        return;
    const struct piece rest = piece_part(word, length, word.text.length - length);
    if (rest.text.length == 0)
        return;
    if (rest.text.at[0] != '+' && rest.text.at[0] != '-') {
        reading_note(reading, diag_report(reading->diag, DIAG_PROGRAM_ADDRESS, rest.place,
                                          "give the distance in bytes: $x + 4 * n",
                                          "address '" SLICE_FORMAT "': + or - is expected behind it",
                                          SLICE_ARGS(word.text)));
        return;
    }
    char *text = reading_allocate(reading, word.text.length - length + 2, 1);
    if (!text)
        return;
    text[0] = '0';
    memcpy(text + 1, word.text.at + length, word.text.length - length);
    setting->text = text;
    setting->place.column += (int)length - 1;
    setting->place.length -= (int)length - 1;
}
