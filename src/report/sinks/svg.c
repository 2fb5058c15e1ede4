/* An SVG flame graph: a picture that any browser shows. The program is at the top, kernels under it, then the
 * functions as they call each other, lines, opcodes; a frame is as wide as its share of the requested figure.
 *
 * It reads without a script: names stand in the frames, everything else in tooltips (<title>), and what is
 * too narrow for a name still has its tooltip. The script at its end adds two things: a click on a frame
 * makes it as wide as the picture, and a search marks frames and says what part of the whole they are. */
#include "base/json.h"
#include "hexec/hexec.h"
#include "report/sinks/export.h"

#include <string.h>

extern const struct export_class export_svg;

#define WIDTH         1200u
#define MARGIN        10u
#define ROW           18u /* height of a frame with the gap below it */
#define TOP           58u /* above the frames: title, subtitle, search */
#define BOTTOM        34u /* below: what the colours mean */
#define LETTER        6.7 /* width of a letter of the font, a little more than it is */
#define SMALLEST      0.2 /* narrower frames are not drawn */
#define CLASS_COLOURS 8u
#define LEGEND_MAX    12u

struct drawing {
    const struct export_request *request;
    const struct flame *flame;
    struct text *out;
    double *left; /* of each frame, and then of the next of its children, in parts of the whole */
    const char *classes[LEGEND_MAX];
    size_t class_count, not_drawn;
};

static void put(struct drawing *drawing, const char *text)
{
    text_append(drawing->out, text, strlen(text));
}

/* Text between tags. Bytes that XML does not know become blanks. */
static void put_escaped(struct drawing *drawing, const char *text, size_t most)
{
    for (size_t i = 0; text[i] && i < most; i++) {
        const char *entity = text[i] == '&'                 ? "&amp;"
                             : text[i] == '<'               ? "&lt;"
                             : text[i] == '>'               ? "&gt;"
                             : text[i] == '"'               ? "&quot;"
                             : (unsigned char)text[i] < ' ' ? " "
                                                            : NULL;
        text_append(drawing->out, entity ? entity : &text[i], entity ? strlen(entity) : 1);
    }
}

/* 1234567 as 1,234,567; nanoseconds as 1.234 ms. */
static void put_amount(struct drawing *drawing, enum figure figure, uint64_t amount)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    if (figure == FIGURE_TIME) {
        size_t i = 0;
        while (i + 1 < HX_COUNT_OF(units) && (double)amount < units[i].ns)
            i++;
        text_print(drawing->out, "%.*f %s", i + 1 < HX_COUNT_OF(units) ? 3 : 0, (double)amount / units[i].ns,
                   units[i].name);
        return;
    }
    char digits[32];
    size_t count = 0;
    do {
        if (count % 4 == 3)
            digits[count++] = ',';
        digits[count++] = (char)('0' + amount % 10);
    } while ((amount /= 10) > 0);
    while (count > 0)
        text_append(drawing->out, &digits[--count], 1);
}

/* Colours go to classes in the order in which they are met; what comes after the last has none of its own. */
static size_t colour_of(struct drawing *drawing, const char *class_name)
{
    size_t i = 0;
    while (i < drawing->class_count && strcmp(drawing->classes[i], class_name) != 0)
        i++;
    if (i == drawing->class_count && i < LEGEND_MAX)
        drawing->classes[drawing->class_count++] = class_name;
    return i % CLASS_COLOURS;
}

static void put_title(struct drawing *drawing, const struct frame *frame, const char *name)
{
    const struct figures *whole = &drawing->flame->frames[0].total;
    put(drawing, "<title>");
    put_escaped(drawing, name, SIZE_MAX);
    if (frame->kind != FRAME_PROGRAM && frame->kind != FRAME_OPCODE) {
        put(drawing, "\n");
        put_escaped(drawing, frame->file, SIZE_MAX);
        text_print(drawing->out, ":%u", frame->line);
    }
    for (int i = 0; i < FIGURE_COUNT; i++) {
        if (frame->total.of[i] == 0)
            continue;
        text_print(drawing->out, "\n%s: ", figure_table[i].text);
        put_amount(drawing, (enum figure)i, frame->total.of[i]);
        text_print(drawing->out, " (%.2f %%)", 100.0 * (double)frame->total.of[i] / (double)whole->of[i]);
    }
    put(drawing, "</title>");
}

/* The name, or as much of it as there is room for; of a line at least its number. */
static void put_label(struct drawing *drawing, const char *name, double x, double y, double width)
{
    const size_t room = width > 2 * LETTER ? (size_t)((width - 6) / LETTER) : 0;
    const bool fits = strlen(name) <= room;
    text_print(drawing->out, "<text x=\"%.2f\" y=\"%.0f\">", x + 3, y);
    const size_t number = strspn(name, "0123456789");
    if (fits)
        put_escaped(drawing, name, SIZE_MAX);
    else if (room < 9 && number > 0 && number <= room)
        put_escaped(drawing, name, number);
    else if (room >= 4) {
        size_t cut = 0; /* between two characters */
        for (size_t next = 0; name[cut] && cut + next <= room - 2; cut += next)
            next = text_utf8_length(name + cut, strlen(name + cut), NULL), next = next ? next : 1;
        put_escaped(drawing, name, cut);
        put(drawing, "..");
    }
    put(drawing, "</text>");
}

static void put_frame(struct drawing *drawing, uint32_t index)
{
    const struct frame *frame = &drawing->flame->frames[index];
    const enum figure weight = drawing->request->weight;
    const double whole = (double)drawing->flame->frames[0].total.of[weight];
    const double part = whole > 0 ? (double)frame->total.of[weight] / whole : index == 0;
    if (index > 0) {
        drawing->left[index] = drawing->left[frame->parent];
        drawing->left[frame->parent] += part;
    }
    const double pixels = WIDTH - 2.0 * MARGIN, x = MARGIN + drawing->left[index] * pixels;
    if (part * pixels < SMALLEST) {
        drawing->not_drawn += part > 0;
        return;
    }
    struct text name HX_AUTO(text_done) = {.allocator = drawing->request->allocator};
    flame_print_name(frame, &name);
    drawing->out->failed |= name.failed;
    if (name.failed)
        return;
    const uint32_t y = TOP + frame->depth * ROW;
    put(drawing, "<g tabindex=\"0\" class=\"f ");
    if (frame->kind == FRAME_LINE || frame->kind == FRAME_OPCODE)
        text_print(drawing->out, "c%zu\"", colour_of(drawing, frame->class_name));
    else
        text_print(drawing->out, "k%d\"", (int)frame->kind);
    text_print(drawing->out, " data-x=\"%.9g\" data-w=\"%.9g\" data-d=\"%u\">", drawing->left[index], part,
               frame->depth);
    put_title(drawing, frame, name.at);
    text_print(drawing->out, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\" rx=\"2\"/>", x, y,
               part * pixels > 1 ? part * pixels - 0.5 : part * pixels, ROW - 1);
    put_label(drawing, name.at, x, y + 13, part * pixels);
    put(drawing, "</g>\n");
}

/* Dark on light in every theme: the picture brings its own background. */
static const char style[] =
    "<style>\n"
    "svg{font-family:Verdana,'DejaVu Sans',sans-serif;background:#fff}\n"
    "text{font-size:11px;fill:#111;pointer-events:none;white-space:pre}\n"
    ".f text{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace}\n"
    ".h{font-size:16px}.s{fill:#555}\n"
    ".f rect{stroke:none}.f:hover rect,.f:focus rect{stroke:#111;stroke-width:1}.f:focus{outline:none}\n"
    ".b{cursor:pointer;pointer-events:auto;fill:#0b57a4;text-decoration:underline}\n"
    ".k0 rect{fill:#d0d0d0}.k1 rect{fill:#c3cfdd}.k2 rect{fill:#dfe3ea}\n"
    ".c0 rect{fill:#f7b27a}.c1 rect{fill:#9fd19b}.c2 rect{fill:#8fc1e3}.c3 rect{fill:#f2d16b}\n"
    ".c4 rect{fill:#d9a7d6}.c5 rect{fill:#e99a94}.c6 rect{fill:#8ed3c7}.c7 rect{fill:#c9bfa8}\n"
    ".m rect{fill:#e5007d}.m text{fill:#fff}.o{opacity:.45}\n"
    "</style>\n";

/* A frame's place without the script is in its rect, with it in data-x, data-w (parts of the whole) and
 * data-d (depth). */
static const char script[] =
    "<script><![CDATA[\n"
    "(function () {\n"
    "  'use strict';\n"
    "  var frames = [].slice.call(document.querySelectorAll('.f')), width = 1180, margin = 10, letter = "
    "6.7;\n"
    "  var find = document.getElementById('find'), found = document.getElementById('found');\n"
    "  function number(g, key) { return +g.getAttribute('data-' + key); }\n"
    "  function name(g) { return g.querySelector('title').textContent.split('\\n')[0]; }\n"
    "  function label(g, w) {\n"
    "    var text = name(g), room = Math.floor((w - 6) / letter);\n"
    "    var line = /^[0-9]+/.exec(text);\n"
    "    if (text.length <= room) return text;\n"
    "    if (room < 9 && line && line[0].length <= room) return line[0];\n"
    "    return room < 4 ? '' : text.slice(0, room - 2) + '..';\n"
    "  }\n"
    "  function zoom(to) {\n"
    "    var x0 = number(to, 'x'), w0 = number(to, 'w'), d0 = number(to, 'd'), tiny = 1e-9;\n"
    "    frames.forEach(function (g) {\n"
    "      var x = number(g, 'x'), w = number(g, 'w'), above = number(g, 'd') < d0;\n"
    "      var on = above ? x <= x0 + tiny && x + w >= x0 + w0 - tiny : x >= x0 - tiny && x + w <= x0 + w0 + "
    "tiny;\n"
    "      g.style.display = on ? '' : 'none';\n"
    "      if (!on) return;\n"
    "      var left = above ? margin : margin + (x - x0) / w0 * width, wide = above ? width : w / w0 * "
    "width;\n"
    "      var rect = g.querySelector('rect'), text = g.querySelector('text');\n"
    "      rect.setAttribute('x', left);\n"
    "      rect.setAttribute('width', wide > 1 ? wide - 0.5 : wide);\n"
    "      text.setAttribute('x', left + 3);\n"
    "      text.textContent = label(g, wide);\n"
    "      g.classList.toggle('o', above);\n"
    "    });\n"
    "  }\n"
    "  function mark(word) {\n"
    "    var sum = 0, end = -1;\n"
    "    frames.forEach(function (g) {\n"
    "      g.classList.toggle('m', word !== '' && name(g).toLowerCase().indexOf(word.toLowerCase()) >= 0);\n"
    "    });\n"
    "    frames.filter(function (g) { return g.classList.contains('m'); })\n"
    "      .sort(function (a, b) { return number(a, 'x') - number(b, 'x') || number(b, 'w') - number(a, "
    "'w'); })\n"
    "      .forEach(function (g) {\n"
    "        var x = number(g, 'x');\n"
    "        if (x >= end - 1e-9) { sum += number(g, 'w'); end = x + number(g, 'w'); }\n"
    "      });\n"
    "    found.textContent = word === '' ? '' : '\"' + word + '\": ' + (100 * sum).toFixed(2) + ' %';\n"
    "  }\n"
    "  function ask() { var word = window.prompt('Mark frames whose name has:', ''); if (word !== null) "
    "mark(word); }\n"
    "  frames.forEach(function (g) {\n"
    "    g.addEventListener('click', function () { zoom(g); });\n"
    "    g.addEventListener('keydown', function (e) { if (e.key === 'Enter') zoom(g); });\n"
    "  });\n"
    "  find.style.display = '';\n"
    "  find.addEventListener('click', ask);\n"
    "  find.addEventListener('keydown', function (e) { if (e.key === 'Enter') ask(); });\n"
    "  window.addEventListener('keydown', function (e) { if (e.key === 'Escape') { zoom(frames[0]); "
    "mark(''); } });\n"
    "  window.hexecFlame = { zoom: zoom, mark: mark };\n"
    "})();\n"
    "]]></script>\n";

static void put_head(struct drawing *drawing, uint32_t height)
{
    const struct export_request *request = drawing->request;
    const enum figure weight = request->weight;
    text_print(
        drawing->out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\">\n",
        WIDTH, height, WIDTH, height);
    put(drawing, style);
    text_print(drawing->out,
               "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text class=\"h\" x=\"%u\" y=\"24\">",
               MARGIN);
    put_escaped(drawing, request->program, SIZE_MAX);
    text_print(drawing->out, ": %s</text>\n<text class=\"s\" x=\"%u\" y=\"44\">", figure_table[weight].text,
               MARGIN);
    put_amount(drawing, weight, request->stacks->total.of[weight]);
    put(drawing, weight == FIGURE_TIME ? ", measured on a sample of the issues. " : ", counted exactly. ");
    put(drawing, "Program, kernels, functions, lines, opcodes from top to bottom; point at a frame for its "
                 "figures.</text>\n");
    text_print(drawing->out,
               "<text id=\"found\" x=\"%u\" y=\"24\" text-anchor=\"end\"></text>\n"
               "<text id=\"find\" class=\"b\" tabindex=\"0\" x=\"%u\" y=\"24\" text-anchor=\"end\" "
               "style=\"display:none\">search</text>\n",
               WIDTH - MARGIN - 50, WIDTH - MARGIN);
}

static void put_legend(struct drawing *drawing, uint32_t y)
{
    double x = MARGIN;
    for (size_t i = 0; i < drawing->class_count; i++) {
        text_print(drawing->out,
                   "<g class=\"c%zu\"><rect x=\"%.0f\" y=\"%u\" width=\"10\" height=\"10\" rx=\"2\"/>",
                   i % CLASS_COLOURS, x, y - 9);
        text_print(drawing->out, "<text x=\"%.0f\" y=\"%u\">", x + 14, y);
        put_escaped(drawing, drawing->classes[i], SIZE_MAX);
        put(drawing, "</text></g>\n");
        x += 30 + LETTER * (double)strlen(drawing->classes[i]);
    }
    if (drawing->not_drawn > 0)
        text_print(drawing->out,
                   "<text class=\"s\" x=\"%u\" y=\"%u\" text-anchor=\"end\">%zu frames are too narrow to "
                   "draw</text>\n",
                   WIDTH - MARGIN, y, drawing->not_drawn);
}

static hx_status print_svg(const struct export_request *request, struct text *out, hx_diag *diag)
{
    struct flame flame HX_AUTO(flame_done) = {0};
    hx_status status = flame_make(request->stacks, request->program, request->allocator, diag, &flame);
    if (status != HX_OK)
        return status;
    struct drawing drawing = {.request = request, .flame = &flame, .out = out};
    drawing.left = ARENA_ARRAY(&flame.arena, double, flame.count);
    if (!drawing.left)
        return diag_no_memory(diag);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < flame.count; i++)
        depth = flame.frames[i].depth > depth ? flame.frames[i].depth : depth;
    const uint32_t below = TOP + (depth + 1) * ROW;
    put_head(&drawing, below + BOTTOM);
    for (uint32_t i = 0; i < flame.count; i++)
        put_frame(&drawing, i);
    put_legend(&drawing, below + 20);
    put(&drawing, script);
    put(&drawing, "</svg>\n");
    return HX_OK;
}

const struct export_class export_svg = {"svg", ".svg", print_svg, NULL};
