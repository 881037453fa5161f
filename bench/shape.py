"""The shape of the code in figures, of this checkout and, to compare, of another one.

    python bench/shape.py [FOLDER …]

Each FOLDER is a checkout; without one, this is looked at. Counted are lines and modules of the package, the modules
that each verb imports, names of classes and files that mean different things in different places, the forms that
actions and states have on the way of a verb, how often a run of `check` composes and elaborates, and the lines that
the formatter is told to leave alone. One table, a column for each checkout.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
VERBS = ("check", "winnable", "certify", "replay", "diff", "play")
COUNTED = {
    "composed": ("hanabi_formal.compose.units", "hanabi_formal.check.units"),
    "elaborated": ("hanabi_formal.elaborate.elaborate", "hanabi_formal.check.elaborate"),
}
"""The one entrance to each, where it is and where it was; the function is called `compose` and `elaborate`."""
HOOK = """
import importlib.abc, importlib.machinery, os, sys
WANTED = {MODULES!r}
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name not in WANTED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        run = spec.loader.exec_module
        def exec_module(module):
            run(module)
            word, function = WANTED[name]
            work = getattr(module, function)
            def counted(*args, **kwargs):
                told = os.open(os.environ["COUNTED"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
                os.write(told, (word + chr(10)).encode())
                os.close(told)
                return work(*args, **kwargs)
            setattr(module, function, counted)
        spec.loader.exec_module = exec_module
        return spec
sys.meta_path.insert(0, Finder())
"""
"""Read by every Python process of a run at its start: it counts, in all of them together."""


def modules(checkout: Path) -> dict[str, Path]:
    """Modules of the package by their path in it."""
    package = checkout / "hanabi_formal"
    found = sorted(path for path in package.rglob("*.py") if "data" not in path.relative_to(package).parts)
    return {path.relative_to(package).as_posix(): path for path in found}


def classes(checkout: Path) -> dict[str, list[str]]:
    """Names of classes and of aliases of types, with the modules that make them; the syntax tree has its own."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in modules(checkout).items():
        if name == "syntax/ast.py":
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            match node:
                case ast.ClassDef(name=made):
                    found[made].append(name)
                case ast.Assign(targets=[ast.Name(id=made)]) if made[0].isupper() and not made.isupper():
                    found[made].append(name)
    return found


def repeated(names: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: places for name, places in names.items() if len(places) > 1}


def file_names(checkout: Path) -> dict[str, list[str]]:
    """Files of one name in several folders; a verb of the command line is called as what it asks."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in modules(checkout):
        if not name.endswith("__init__.py") and not name.startswith("cli/"):
            found[name.rpartition("/")[2]].append(name)
    return found


def largest_folder(checkout: Path) -> tuple[int, str]:
    many: dict[str, int] = defaultdict(int)
    for name in modules(checkout):
        if not name.endswith("__init__.py"):
            many[name.rpartition("/")[0]] += 1
    return max((count, folder) for folder, count in many.items())


def reached(checkout: Path, verb: str) -> int:
    """Modules of ours that a verb imports, at the top of a module or later."""
    known = {
        name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
        for name, path in modules(checkout).items()
    }
    seen: set[str] = set()
    waiting = [f"cli.{verb}"]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in known:
            continue
        seen.add(name)
        waiting += imported(known[name], name)
    return len(seen)


def imported(path: Path, name: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (one.name.removeprefix("hanabi_formal.") for one in names)
            case ast.ImportFrom(module=str(module), names=names, level=0) if module.startswith("hanabi_formal"):
                inside = module.removeprefix("hanabi_formal").lstrip(".")
                yield inside
                yield from (f"{inside}.{one.name}".lstrip(".") for one in names)
            case ast.ImportFrom(module=module, names=names, level=1):
                folder = name.rpartition(".")[0] if path.name != "__init__.py" else name
                inside = f"{folder}.{module}" if module else folder
                yield inside
                yield from (f"{inside}.{one.name}" for one in names)


def counted(checkout: Path) -> Counter[str]:
    """How often a run of `check` for one number of players composes and elaborates, in all its processes."""
    wanted = {
        module: (word, {"composed": "compose", "elaborated": "elaborate"}[word])
        for word, several in COUNTED.items()
        for module in several
    }
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sitecustomize.py").write_text(HOOK.replace("{MODULES!r}", repr(wanted)), "utf-8")
        told = Path(folder) / "counted"
        environment = {
            **os.environ,
            "PYTHONPATH": f"{folder}{os.pathsep}{checkout}",
            "COUNTED": str(told),
            "XDG_CACHE_HOME": folder,
        }
        code = "from hanabi_formal.cli.main import main; main()"
        subprocess.run(
            [sys.executable, "-c", code, "check", "base", "--players", "2"],
            capture_output=True,
            cwd=folder,
            env=environment,
            check=True,
        )
        return Counter(told.read_text("utf-8").split())


def left_alone(checkout: Path) -> int:
    paths = [path for part in ("hanabi_formal", "tests", "bench") for path in (checkout / part).rglob("*.py")]
    return sum(
        line.rstrip().endswith(("# fmt: skip", "# fmt: off"))
        for path in paths
        for line in path.read_text("utf-8").splitlines()
    )


def figures(checkout: Path) -> dict[str, str]:
    found = modules(checkout)
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in found.values())
    many, folder = largest_folder(checkout)
    runs = counted(checkout)
    table = {"lines of the package": f"{lines:,}", "modules": f"{len(found):,}", "largest folder": f"{many} ({folder})"}
    table |= {f"modules that `{verb}` reaches": str(reached(checkout, verb)) for verb in VERBS}
    table["names of classes in more than one module"] = str(len(repeated(classes(checkout))))
    table["names of files in more than one folder"] = str(len(repeated(file_names(checkout))))
    table["compositions in a run of `check base --players 2`"] = str(runs["composed"])
    table["elaborations in it"] = str(runs["elaborated"])
    table["lines the formatter leaves alone"] = str(left_alone(checkout))
    return table


def main() -> None:
    checkouts = [Path(word).resolve() for word in sys.argv[1:]] or [HERE]
    columns = [figures(checkout) for checkout in checkouts]
    print(f"| | {' | '.join(checkout.name for checkout in checkouts)} |\n|---{'|---' * len(checkouts)}|")
    for name in columns[-1]:
        print(f"| {name} | {' | '.join(column[name] for column in columns)} |")
    for name, places in repeated(classes(checkouts[-1])).items():
        print(f"class {name}: {', '.join(places)}", file=sys.stderr)
    for name, places in repeated(file_names(checkouts[-1])).items():
        print(f"file {name}: {', '.join(places)}", file=sys.stderr)


if __name__ == "__main__":
    main()
