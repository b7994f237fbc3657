"""Rust as checks need it: words, marks and literals with their lines, and which of it is test code.

No parser: macros are not expanded, and names not resolved. Comments are left out, so that prose
breaks no rule."""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""(?P<doc>//[/!][^\n]*)|(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<raw>[bc]?r(?P<marks>\#*)".*?"(?P=marks))|(?P<text>[bc]?"(?:\\.|[^"\\])*")
    |(?P<char>b?'(?:\\.[^']*|[^\\'\n])')|(?P<word>'?[A-Za-z_]\w*)|(?P<number>\d\w*)|(?P<mark>\S)""",
    re.DOTALL | re.VERBOSE,
)


@dataclass
class Token:
    kind: str
    text: str
    line: int
    start: int
    in_test: bool = False
    # The attribute it belongs to, without blanks.
    attribute: str = ""


@dataclass
class Source:
    """A Rust file: its tokens without comments, and its documentation."""

    text: str
    is_test: bool = False
    tokens: list[Token] = field(default_factory=list)

    def __post_init__(self):
        line, at = 1, 0
        for found in TOKEN.finditer(self.text):
            line += self.text.count("\n", at, found.start())
            at = found.start()
            kind = found.lastgroup if found.lastgroup != "marks" else "raw"
            if kind != "comment":
                self.tokens.append(Token(kind, found.group(), line, at))
        self._mark_tests()

    def _mark_tests(self):
        """Marks what is under `#[cfg(test)]` to the end of the item."""
        end = 0
        for at, mark in enumerate(self.tokens):
            if mark.text != "#" or at < end:
                continue
            attribute, end = self._attribute(at)
            for token in self.tokens[at:end]:
                token.attribute = attribute
            if attribute == "cfg(test)":
                end = self._item_end(end)
                for token in self.tokens[at:end]:
                    token.in_test = True

    def _attribute(self, at: int) -> tuple[str, int]:
        """The text of the attribute that begins there, if one does, and where it ends."""
        inner = at + 1 + (self._mark(at + 1) == "!")
        if self._mark(at) != "#" or self._mark(inner) != "[":
            return "", at
        end = self._group_end(inner)
        return "".join(token.text for token in self.tokens[inner + 1 : end - 1]), end

    def _item_end(self, at: int) -> int:
        while at < len(self.tokens):
            attribute_end = self._attribute(at)[1]
            if attribute_end > at:
                at = attribute_end
            elif self._mark(at) == ";":
                return at + 1
            elif self._mark(at) in ("(", "[", "{"):
                is_body = self._mark(at) == "{"
                at = self._group_end(at)
                if is_body:
                    return at
            else:
                at += 1
        return at

    def _group_end(self, at: int) -> int:
        depth = 0
        while at < len(self.tokens):
            depth += self._mark(at) in ("(", "[", "{")
            depth -= self._mark(at) in (")", "]", "}")
            at += 1
            if depth == 0:
                break
        return at

    def _mark(self, at: int) -> str:
        is_mark = at < len(self.tokens) and self.tokens[at].kind == "mark"
        return self.tokens[at].text if is_mark else ""

    def code(self) -> str:
        """The code that is no test, of each literal only its quotes, lines where they were."""
        if self.is_test:
            return ""
        code = [c if c == "\n" else " " for c in self.text]
        for token in self.tokens:
            if token.in_test or token.kind == "doc":
                continue
            if token.kind in ("raw", "text"):
                code[token.start] = code[token.start + len(token.text) - 1] = '"'
            elif token.kind != "char":
                code[token.start : token.start + len(token.text)] = token.text
        return "".join(code)

    def texts(self):
        """The literals and documentation that are no test, as the program has them."""
        for token in self.tokens:
            # What is stored is no text for people.
            if token.in_test or self.is_test or token.attribute.startswith("serde"):
                continue
            if token.kind == "text" and token.text[0] == '"':
                yield token, re.sub(r"\\(\n\s*|.)", unescaped, token.text[1:-1], flags=re.DOTALL)
            elif token.kind == "raw" and token.text[0] == "r":
                yield token, token.text.strip("r#")[1:-1]
            elif token.kind == "doc":
                yield token, token.text[3:]


def unescaped(found) -> str:
    return "" if found[1][0] == "\n" else found[1]


def mark_test_files(sources: dict[str, Source]):
    """Test code as a whole are files in a `tests` folder, fuzz targets, and modules that some other
    file declares under `#[cfg(test)]`, with all below them."""
    declared = set()
    for path, source in sources.items():
        folder, _, name = path.rpartition("/")
        is_top = name in ("mod.rs", "lib.rs", "main.rs")
        base = folder if is_top else path.removesuffix(".rs")
        for a, b, c in zip(source.tokens, source.tokens[1:], source.tokens[2:]):
            if a.in_test and a.text == "mod" and c.text == ";":
                declared.add(f"{base}/{b.text}")
    for path, source in sources.items():
        stem = path.removesuffix(".rs")
        above = [stem[:at] for at, c in enumerate(stem) if c == "/"] + [stem]
        in_folder = "tests" in path.split("/") or path.startswith("fuzz/")
        source.is_test = in_folder or not declared.isdisjoint(above)
