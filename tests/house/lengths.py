#!/usr/bin/env python3
"""No source file is over 600 lines, and no function or macro over 60."""
import house
from functions import LANGUAGES, functions

FILE, FUNCTION = 600, 60
C = r'''
#define SHORT(x) ((x) + 1)
#define LONG(x) \
    do {        \
        f(x);   \
    } while (0)
static const int table[] = {
    ROW(1) /* { */
};
struct row {
    int a;
};
#if A
static int first(int a)
{
#else
static int first(void)
{
#endif
    return '{' + "}{"[0];
} // }
extern "C" {
TABLE(x)
__attribute__((noinline)) static void second(void (*f)(int),
    int a)
{
    if (f) {
        f(a);
    }
}
}
int declared(void);
START_TEST(third)
{
}
END_TEST
START_TEST(fourth)
{
}
END_TEST
'''
JS = r'''
const one = (a) => {
    return a.replace(/[{"]/g, "{");
};
function two(a, b = f(1)) {
    if (a) {
        return `}${b}`;
    }
}
'''
KNOWN = (
    (".c", C, [("SHORT", 1), ("LONG", 4), ("first", 5), ("second", 7), ("START_TEST(third)", 3), ("START_TEST(fourth)", 3)]),
    (".js", JS, [("=>", 3), ("two", 5)]),
    (".py", "def a():\n    pass\n\n\nclass B:\n    def c(self):\n        return (1,\n                2)\n", [("a", 2), ("c", 3)]),
    (".sh", "a() {\n    b\n}\nc() { d; }\n", [("a", 3)]),
)
problems = []
for ending, text, known in KNOWN:
    found = [(name, lines) for name, _, lines in functions(text, ending)]
    if found != known:
        problems.append(f"functions.py finds in {ending}: {found}")

for path in house.sources("src", "include", "tools", "tests", endings=(*LANGUAGES, ".css")):
    if "node_modules" in path.parts:
        continue
    text = path.read_text(encoding="utf-8")
    found = [(path.name, 1, text.count("\n"), FILE)]
    if path.suffix in LANGUAGES:
        found += [(name, line, lines, FUNCTION) for name, line, lines in functions(text, path.suffix)]
    problems += [f"{house.place(path, line)}: {name}: {lines} lines, at most {limit} are allowed"
                 for name, line, lines, limit in found if lines > limit]
house.finish("lengths", problems)
