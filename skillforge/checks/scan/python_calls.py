"""The calls in Python code, from its syntax tree, however they are written.

`getattr(o, "sys" + "tem")(x)` becomes the line `os.system(...)`. No code is run.
"""

import ast
import base64
import binascii
import re
import warnings
from collections.abc import Iterator

_MOST_SOURCE = 500_000  # characters of one file
_MOST = 4000  # calls of one file
_DEEP = 60  # levels of one expression
_LONGEST, _LONGEST_NAME = 20_000, 200  # characters of a text, and of a name
_MODULES = ("__import__", "importlib.import_module", "import_module")
_DECODERS = {
    "base64.b64decode": base64.b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.b32decode": base64.b32decode,
    "base64.b85decode": base64.b85decode,
    "bytes.fromhex": bytes.fromhex,
    "binascii.unhexlify": binascii.unhexlify,
}


# Patterns alone suffice for most scripts.
_WORTH = re.compile(
    r"urlretrieve|getattr\(|__import__|importlib|globals\(|vars\(|__dict__|\[::-1\]|"
    r"chr\(|"
    r"b64decode|"
    r"fromhex|unhexlify|\bexec\(|\beval\(|['\"]\.join\(|['\"]\s*\+\s*['\"]|reversed\(|"
    r"import (?:os|subprocess|requests|urllib|socket|http|base64|shutil)[\w.]* as |"
    r"from (?:os|subprocess|requests|urllib|socket|http|shutil|builtins)[\w.]* import"
)


def calls(source: str) -> list[tuple[int, str]] | None:
    """The calls with their lines, as `name(arguments)`; None if they add nothing."""
    if len(source) > _MOST_SOURCE or not _WORTH.search(source):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    try:
        return sorted(_CallReader(tree).calls(tree))
    except (RecursionError, MemoryError):
        return None


def is_too_much(source: str) -> bool:
    """Whether a file is too long for Python's parser to read in a short time."""
    return len(source) > _MOST_SOURCE and _WORTH.search(source) is not None


class _CallReader:
    """Resolves the names and expressions of a file."""

    def __init__(self, tree: ast.Module) -> None:
        self.names: dict[str, str] = {}  # what a name was imported or assigned as
        self.texts: dict[str, str] = {}  # constants, by the name they were given
        for node in ast.walk(tree):
            self._learn(node)

    def _learn(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            self.names |= {a.asname: a.name for a in node.names if a.asname}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            target = node.targets[0].id
            text = self.text(node.value)
            if text is not None:
                self.texts[target] = text
            elif isinstance(node.value, ast.Attribute | ast.Call | ast.Subscript):
                name = self.name(node.value)
                if name and name != target:
                    self.names[target] = name

    def calls(self, tree: ast.Module) -> Iterator[tuple[int, str]]:
        count = 0
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and count < _MOST:
                count += 1
                arguments = [self._shown(argument) for argument in node.args[:8]]
                arguments += [
                    f"{k.arg}={self._shown(k.value)}" for k in node.keywords[:8]
                ]
                called = self.name(node.func) or "?"
                line = f"{called}({', '.join(arguments)})"
                yield node.lineno, line.replace("\n", " ").replace("\r", " ")

    def _shown(self, node: ast.expr) -> str:
        text = self.text(node)
        if text is not None:
            return repr(text)
        if isinstance(node, ast.List | ast.Tuple):
            return " ".join(self._shown(item) for item in node.elts[:20])
        if isinstance(node, ast.Call):
            inner = ", ".join(self._shown(argument) for argument in node.args[:4])
            return f"{self.name(node.func)}({inner})"
        return self.name(node)

    def name(self, node: ast.AST, depth: int = 0) -> str:
        """The dotted name of an expression; empty if it has none."""
        return self._name(node, depth)[:_LONGEST_NAME]

    def _name(self, node: ast.AST, depth: int) -> str:
        if depth > _DEEP:
            return ""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return f"{self.name(node.value, depth + 1)}.{node.attr}".lstrip(".")
        if isinstance(node, ast.Subscript):
            key = self.text(node.slice)
            owner = self.name(node.value, depth + 1).removesuffix(".__dict__")
            return f"{owner}.{key}" if key and key.isidentifier() else owner
        if isinstance(node, ast.Call):
            return self._name_of_call(node, depth)
        return ""

    def _name_of_call(self, node: ast.Call, depth: int) -> str:
        called = self.name(node.func, depth + 1)
        texts = [self.text(argument) for argument in node.args[:2]]
        if called in _MODULES and texts and texts[0]:
            return texts[0]
        if called == "getattr" and len(texts) == 2 and texts[1]:
            return f"{self.name(node.args[0], depth + 1)}.{texts[1]}".lstrip(".")
        if called in ("vars", "globals", "locals"):
            return self.name(node.args[0], depth + 1) if node.args else ""
        return called

    def text(self, node: ast.AST, depth: int = 0) -> str | None:
        """The constant text of an expression; None if unknown or too long."""
        text = self._text(node, depth)
        return text if text is None or len(text) <= _LONGEST else None

    def _text(self, node: ast.AST, depth: int) -> str | None:  # noqa: PLR0911
        if depth > _DEEP:
            return None
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, bytes):
                return value.decode("latin-1")
            return value if isinstance(value, str) else None
        if isinstance(node, ast.Name):
            return self.texts.get(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = (
                self.text(node.left, depth + 1),
                self.text(node.right, depth + 1),
            )
            return left + right if left is not None and right is not None else None
        if isinstance(node, ast.JoinedStr):
            parts = [self._part(part, depth) for part in node.values]
            return "".join(parts) if sum(map(len, parts)) <= _LONGEST else None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return self._sliced(node.value, node.slice, depth)
        if isinstance(node, ast.Call):
            return self._text_of_call(node, depth)
        return None

    def _part(self, part: ast.expr, depth: int) -> str:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        return self.text(inner, depth + 1) or f"{{{self.name(inner)}}}"

    def _sliced(self, value: ast.expr, part: ast.Slice, depth: int) -> str | None:
        text = self.text(value, depth + 1)
        is_reversed = (
            part.lower is None and part.upper is None and part.step is not None
        )
        return text[::-1] if text is not None and is_reversed else None

    def _text_of_call(self, node: ast.Call, depth: int) -> str | None:  # noqa: PLR0911
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in (
            "decode",
            "encode",
            "strip",
        ):
            return self.text(func.value, depth + 1)
        if isinstance(func, ast.Attribute) and func.attr == "join" and node.args:
            return self._joined(func.value, node.args[0], depth)
        if isinstance(func, ast.Attribute) and func.attr == "replace":
            return self._replaced(func.value, node.args, depth)
        if (
            isinstance(func, ast.Name)
            and func.id in ("chr", "str", "bytes")
            and node.args
        ):
            code = node.args[0]
            if isinstance(code, ast.Constant) and isinstance(code.value, int):
                return chr(code.value) if 0 < code.value < 0x110000 else None
            return self.text(code, depth + 1)
        decode = _DECODERS.get(self.name(func, depth + 1))
        text = self.text(node.args[0], depth + 1) if decode and node.args else None
        if decode is None or text is None:
            return None
        try:
            return decode(text).decode("utf-8")
        except (ValueError, binascii.Error):
            return None

    def _joined(self, by: ast.expr, parts: ast.expr, depth: int) -> str | None:
        separator = self.text(by, depth + 1)
        if separator is None:
            return None
        if isinstance(parts, ast.List | ast.Tuple):
            texts = [self.text(part, depth + 1) for part in parts.elts]
            if None in texts or sum(map(len, filter(None, texts))) > _LONGEST:
                return None
            return separator.join(filter(None, texts))
        if isinstance(parts, ast.Call) and self.name(parts.func) == "reversed":
            text = self.text(parts.args[0], depth + 1) if parts.args else None
            return text[::-1] if text is not None else None
        return None

    def _replaced(
        self, value: ast.expr, arguments: list[ast.expr], depth: int
    ) -> str | None:
        texts = [self.text(node, depth + 1) for node in (value, *arguments[:2])]
        if len(texts) < 3 or None in texts:
            return None
        whole, old, new = (text or "" for text in texts)
        if not old or len(whole) + whole.count(old) * len(new) > _LONGEST:
            return None
        return whole.replace(old, new)
