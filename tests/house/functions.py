"""Finds the functions and macros of a source file and how long they are, without a parser of the language: a scan of
brackets outside of comments and strings. `functions(text, ending)` returns (name, line, lines) of each; lengths.py tests it."""
import ast
import re

# Comments, strings and characters, as one expression for each language.
C_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
# ... in JavaScript a regular expression too: where an operator, a bracket or `return` stands before its slash
JS_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`'
                     r'|(?<=[=(,:;!&|?{}\[])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+/', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
MACRO = re.compile(r"#[ \t]*define[ \t]+(\w+)")
JS_HEAD = re.compile(r"(?:function\s*(\w*)|(\w+))\s*\([^(){}]*(?:\([^()]*\)[^(){}]*)*\)\s*$|=>\s*$")
JS_WORDS = {"if", "for", "while", "switch", "catch", "with"}


def blank(found: re.Match) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def matching(code: str, at: int) -> int:
    """Where the parenthesis that closes at `at` opens; -1 when nowhere."""
    depth = 0
    while at >= 0:
        depth += {")": 1, "(": -1}.get(code[at], 0)
        if depth == 0:
            return at
        at -= 1
    return -1


def c_name(code: str, start: int, end: int) -> tuple:
    """The name before the parameters that end code[start:end], and where it is; None when that opens no function."""
    while True:
        end = start + len(code[start:end].rstrip())
        if end <= start or code[end - 1] != ")":
            return None
        opened = matching(code, end - 1)
        name = re.search(r"(\w+)\s*$", code[start:max(opened, start)])
        if opened < start or not name:
            return None
        if name[1] != "__attribute__":
            if re.search(r"(?<![=!<>])=(?!=)", code[start:start + name.start()]):
                return None  # a table in whose initialiser a macro stands
            label = name[1] if not name[1].isupper() else code[start + name.start():end]
            return label, start + name.start()
        end = start + name.start()


def c_functions(text: str):
    code = C_TEXT.sub(blank, text)
    depth_at_if, directives = [], {}
    for found in DIRECTIVE.finditer(code):
        macro = MACRO.match(found[0].lstrip())
        if macro:
            yield macro[1], line_of(code, found.start()), found[0].count("\n") + 1
        directives[found.start()] = found[1]
    code = DIRECTIVE.sub(blank, code)
    depth, start, function = 0, 0, None
    for at, char in enumerate(code):
        if at in directives:  # both arms of an #if open the same brace: go on from where it stood
            if directives[at].startswith("if"):
                depth_at_if.append(depth)
            elif directives[at].startswith("el") and depth_at_if:
                depth = depth_at_if[-1]
            elif directives[at] == "endif" and depth_at_if:
                depth_at_if.pop()
        if char == "{":
            if depth == 0:
                function = c_name(code, start, at)
                if re.fullmatch(r"\s*extern\s*", code[start:at]):
                    start = at + 1
                    continue  # what extern "C" holds is at the top
            depth += 1
        elif char == "}":
            depth = max(depth - 1, 0)
            if depth == 0:
                if function:
                    first = line_of(code, function[1])
                    yield function[0], first, line_of(code, at) - first + 1
                function, start = None, at + 1
        elif char == ";" and depth == 0:
            start = at + 1


def js_functions(text: str):
    code = JS_TEXT.sub(blank, text)
    opened, start = [], 0
    for at, char in enumerate(code):
        if char == "{":
            head = JS_HEAD.search(code, max(start - 400, 0), at)
            name = head and (head[1] or head[2])
            opened.append((name or "=>", head.start()) if head and name not in JS_WORDS else None)
        elif char == "}" and opened:
            function = opened.pop()
            if function:
                first = line_of(code, function[1])
                yield function[0], first, line_of(code, at) - first + 1
        if char in "{};":
            start = at + 1


def py_functions(text: str):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def sh_functions(text: str):
    for found in re.finditer(r"^(?:function )?([\w-]+)\s*\(\)\s*\{.*?^\}", text, re.MULTILINE | re.DOTALL):
        yield found[1], line_of(text, found.start()), found[0].count("\n") + 1


LANGUAGES = {".c": c_functions, ".h": c_functions, ".def": c_functions, ".inc": c_functions, ".js": js_functions,
             ".mjs": js_functions, ".py": py_functions, ".sh": sh_functions}


def functions(text: str, ending: str) -> list:
    return sorted(LANGUAGES[ending](text), key=lambda function: function[1])
