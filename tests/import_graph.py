"""Which module of the package imports which, read off the source: at the top of a module or later, directly or not."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

Import = tuple[str, str]
"""A module, and one that it imports."""


def module_paths(package: Path) -> dict[str, Path]:
    """Modules by the name that they have inside the package; the package itself by its own."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        if "data" not in parts:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts) or "hanabi_formal"] = path
    return found


@cache
def spoken(text: str) -> tuple[tuple[ast.Import | ast.ImportFrom, ...], frozenset[str]]:
    """The imports of a module by its text, and all names that it uses."""
    nodes = list(ast.walk(ast.parse(text)))
    imports = tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    return imports, frozenset(node.id for node in nodes if isinstance(node, ast.Name))


def imported(name: str, paths: dict[str, Path]) -> tuple[set[str], set[str]]:
    """What a module imports, at its top or later: modules of ours, and packages of others."""
    path, found = paths[name], set[str]()
    for node in spoken(path.read_text(encoding="utf-8"))[0]:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            folder = name if path.name == "__init__.py" else name.rpartition(".")[0]
            module = f"hanabi_formal.{folder}{'.' + node.module if node.module else ''}" if node.level else node.module
            found |= {f"{module}.{alias.name}" for alias in node.names}
    ours = {_deepest(known, paths) for known in found if known.split(".")[0] == "hanabi_formal"}
    return ours, {known.split(".")[0] for known in found} - {"hanabi_formal"} - sys.stdlib_module_names


def _deepest(known: str, paths: dict[str, Path]) -> str:
    """The module that is meant by `hanabi_formal.part.module.name`."""
    parts = known.split(".")[1:]
    return next(
        (name for many in range(len(parts), 0, -1) if (name := ".".join(parts[:many])) in paths), "hanabi_formal"
    )


def reached(starts: set[str], paths: dict[str, Path], without: Import | None = None) -> tuple[set[str], set[str]]:
    """All modules that those import, directly or not, with the packages they are in; and packages of others."""
    ours, others, waiting = set[str](), set[str](), [*starts]
    while waiting:
        name = waiting.pop()
        if name not in ours:
            ours.add(name)
            found, outside = imported(name, paths)
            others |= outside
            waiting += [other for other in found if (name, other) != without]
            waiting.append(name.rpartition(".")[0] or "hanabi_formal")
    return ours, others
