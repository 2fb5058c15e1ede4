#!/usr/bin/env python3
"""Words that are not used any more, with the word to use instead."""
import re

import house

EVERYWHERE = ("src", "include", "tools", "tests", "docs", "README.md", "CONTRIBUTING.md")
ENGINE = ("src/exec", "src/lower", "tests/unit/exec", "tests/unit/lower")
NOT_READ = ("tests/house/words", "tests/clients/package-lock.json", "tests/fuzz/corpus", "tests/clients/node_modules")
ENDINGS = {".c", ".h", ".def", ".inc", ".py", ".sh", ".js", ".mjs", ".md", ".1", ".txt", ".proto"}
WORDS = (  # expression, what to write, where
    (r"patterns?|patterned", "affine part (of lanes), layout (of addresses)", ENGINE),
    (r"sides?(?= of (?:a|the|its|one|each|every) branch)|(?:both|other|either|first|second) sides?", "arm (of a branch)", ENGINE),
    (r"fold(?:s|ed|ing)?", "pack (blocks)", ENGINE),
    (r"join(?:s|ed|ing)?", "reconverge (paths), deferred compare", ("src/exec", "src/lower")),
    (r"(?:a|the|each|one|its|every|of|longest|last|two|whole|this) stays?", "interval", EVERYWHERE),
    (r"told", "reported, given, known", EVERYWHERE),
    (r"who (?:wants?|watch(?:es)?|asks?|rents?)|whoever|those who|watchers?", "name the thing: a listener, a caller", EVERYWHERE),
    (r"look(?:s|ed|ing)? at", "read, check, watch", EVERYWHERE),
    (r"lanes elsewhere|elsewhere", "name the place", ENGINE),
    (r"c[ao]mes? to|coming to", "is, reaches", EVERYWHERE),
    (r"ask(?:s|ed|ing)? for", "request, want, need", EVERYWHERE),
    (r"what is no\b", "say what it is", EVERYWHERE),
)


# A space may be the end of a line of a comment.
SPACE = r"(?:\s|\n[ \t]*(?:\*|#|//))+"


def matches(name: str, text: str) -> list:
    """Line, words and what to write, of each place in the file of this name."""
    found = []
    for words, use, where in WORDS:
        if name.startswith(where):
            expression = rf"(?<![A-Za-z])(?:{words.replace(' ', SPACE)})(?![A-Za-z])"
            found += [(text.count("\n", 0, place.start()) + 1, " ".join(place[0].split()), use)
                      for place in re.finditer(expression, text, re.IGNORECASE)]
    return sorted(found)


def files() -> list:
    paths = [path for name in EVERYWHERE for path in
             (sorted((house.ROOT / name).rglob("*")) if (house.ROOT / name).is_dir() else [house.ROOT / name])]
    return [path for path in paths if path.is_file() and path.suffix in ENDINGS
            and not str(path.relative_to(house.ROOT)).startswith(NOT_READ)]


SAMPLE = "/* Who\n * watches is told_it, and unfolded retold patterns. */\nint fold_x, joinery;\n"
problems = []
for name, known in (("src/exec/x.c", ["Who * watches", "patterns", "told", "fold"]), ("src/api/x.c", ["Who * watches", "told"])):
    found = [words for _, words, _ in matches(name, SAMPLE)]
    if found != known:
        problems.append(f"words.py finds in its sample as {name}: {found}")
for path in files():
    name = str(path.relative_to(house.ROOT))
    problems += [f'{name}:{line}: "{words}": write {use}'
                 for line, words, use in matches(name, path.read_text(encoding="utf-8"))]
house.finish("words", problems)
