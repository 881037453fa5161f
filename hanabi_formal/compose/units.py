"""From `first+second+mine.hrl` to the parsed units it needs, each once, what is extended first."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hanabi_formal.compose.parts import repeated
from hanabi_formal.compose.rule_files import is_file, is_folder, read_source, shown_path
from hanabi_formal.diagnostics.diagnostic import Label, Rejected, Sink, both_places, did_you_mean, refuse
from hanabi_formal.diagnostics.source import Span
from hanabi_formal.resources import builtin_names, spec_folder
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.parser import parse

MAX_CHAIN = 50


@dataclass(frozen=True)
class Unit:
    """A parsed file and where its relative names are looked up."""

    tree: ast.Unit
    folder: Path

    @property
    def name(self) -> str:
        return self.tree.name.text

    @property
    def extends(self) -> tuple[ast.Ident, ...]:
        return () if isinstance(self.tree, ast.Game) else self.tree.extends


@dataclass(frozen=True)
class Composition:
    """One game, at most one edition and any variants; `order` lists bases before what extends them.

    `spec` is what it was asked for as.
    """

    name: str
    spec: str
    game: ast.Game
    edition: ast.Edition | None
    order: tuple[Unit, ...]

    def ancestors(self, name: str) -> frozenset[str]:
        """The unit itself and everything it extends."""
        by_name = {unit.name: unit for unit in self.order}
        found: set[str] = set()
        todo = [name]
        while todo:
            at = todo.pop()
            if at not in found:
                found.add(at)
                todo += [ident.text for ident in by_name[at].extends]
        return frozenset(found)

    @property
    def variants(self) -> tuple[str, ...]:
        return tuple(unit.name for unit in self.order if isinstance(unit.tree, ast.Variant))


class _Loader:
    def __init__(self) -> None:
        self.units: dict[str, Unit] = {}
        self.paths: dict[Path, str] = {}
        self.order: list[Unit] = []
        self.active: list[tuple[str, Span | None]] = []

    def by_word(self, word: str) -> Unit:
        """What the user typed: a path, or the name of a built-in specification."""
        if word.endswith(".hrl") or "/" in word:
            return self._load(Path(word), word, None)
        builtin = spec_folder() / f"{word}.hrl"
        if word.isidentifier() and is_file(builtin):
            return self._load(builtin, shown_path(builtin), None)
        if is_file(Path(word)):
            return self._load(Path(word), word, None)
        near = did_you_mean(word, builtin_names())
        if is_folder(Path(word)):
            near = "it is a folder; a file is named by its path"
        known = f"the built-in ones are {', '.join(builtin_names())}; a file is named by its path"
        raise refuse("HRL201", f"there is no specification `{word}`", help=near or known)

    def by_name(self, ident: ast.Ident, folder: Path) -> Unit:
        """A name after `extends`: a file beside this one, else a built-in."""
        for place in (folder / f"{ident.text}.hrl", spec_folder() / f"{ident.text}.hrl"):
            if is_file(place):
                found = self._load(place, shown_path(place), ident.span)
                if found.name != ident.text:
                    raise refuse(
                        "HRL201",
                        f"`{shown_path(place)}` holds `{found.name}`, not `{ident}`",
                        Label(ident.span, "wanted here"),
                        Label(found.tree.name.span, "found here"),
                        help="a file that is extended is called like what it holds",
                    )
                return found
        names = {*builtin_names(), *(path.stem for path in folder.glob("*.hrl"))}
        raise refuse("HRL201", f"there is no specification `{ident}`", ident.span, help=did_you_mean(ident.text, names))

    def _load(self, path: Path, shown: str, wanted_by: Span | None) -> Unit:
        try:
            key = Path(os.path.realpath(path))
        except (OSError, ValueError):
            raise refuse("HRL200", f"cannot read `{shown}`: there can be no such name") from None
        if len(self.active) > MAX_CHAIN:
            places = [wanted_by] if wanted_by else []
            raise refuse("HRL105", f"`{shown}` is extended through more than {MAX_CHAIN} files", *places)
        if key in self.paths and self.paths[key] in self.units:
            return self.units[self.paths[key]]
        source = read_source(path, shown)
        tree = parse(source)
        unit = Unit(tree, path.parent)
        if any(name == unit.name for name, _ in self.active):
            self._cycle(unit, wanted_by)
        if unit.name in self.units:
            first = self.units[unit.name].tree.name.span
            if isinstance(tree, ast.Game) and first.file.text == source.text:  # a copy, as in a checkout
                self.paths[key] = unit.name
                return self.units[unit.name]
            raise refuse(
                "HRL205",
                f"two files are called `{unit.name}`",
                *both_places(tree.name.span, first),
                help="give one of them another name",
            )
        self._check_repeats(tree)
        self.paths[key] = unit.name
        self.active.append((unit.name, wanted_by))
        for ident in unit.extends:
            base = self.by_name(ident, unit.folder)
            if isinstance(base.tree, ast.Edition):
                raise refuse(
                    "HRL218",
                    f"`{ident}` is an edition, and a {_kind(tree)} extends games or variants",
                    ident.span,
                    help=f"extend what it extends, then join `{ident}+{unit.name}`",
                )
        if isinstance(tree, ast.Edition):
            self._check_offers(tree, unit.folder)
        self.active.pop()
        self.units[unit.name] = unit
        self.order.append(unit)
        return unit

    def _check_repeats(self, tree: ast.Unit) -> None:
        for names in () if isinstance(tree, ast.Game) else (tree.extends, tree.offers):
            for ident, first in repeated(names):
                raise refuse("HRL205", f"`{ident}` is listed twice", *both_places(ident.span, first.span))

    def _check_offers(self, edition: ast.Edition, folder: Path) -> None:
        """What is offered can be found, and `with` speaks of what is offered."""
        sink = Sink()
        names = {*builtin_names(), *(path.stem for path in folder.glob("*.hrl"))}
        for ident in edition.offers:
            if ident.text not in names:
                sink.report(
                    "HRL201",
                    f"there is no specification `{ident}` to offer",
                    ident.span,
                    help=did_you_mean(ident.text, names),
                )
        known = [ident.text for ident in edition.offers]
        for ident in (ident for block in edition.withs for ident in block.variants):
            if ident.text not in known:
                near = did_you_mean(ident.text, known) or f"add it to what `{edition.name}` offers"
                sink.report("HRL201", f"`{edition.name}` does not offer `{ident}`", ident.span, help=near)
        sink.stop_if_errors()

    def _cycle(self, unit: Unit, wanted_by: Span | None) -> None:
        names = [name for name, _ in self.active]
        ring = [*names[names.index(unit.name) :], unit.name]
        labels = [Label(span, "extended here") for _, span in self.active if span is not None]
        if wanted_by is not None:
            labels.insert(0, Label(wanted_by, "this closes the ring"))
        raise refuse("HRL202", f"`{unit.name}` extends itself: {' → '.join(ring)}", *labels)


def _kind(tree: ast.Unit) -> str:
    return type(tree).__name__.lower()


def compose(spec: str) -> Composition:
    """The units of a SPEC: paths and names joined by `+`, an edition at most once and first."""
    words = [word.strip() for word in spec.split("+")]
    if not all(words):
        raise refuse("HRL201", f"`{spec}` names an empty specification", help="write `one+two`, without a loose `+`")
    loader = _Loader()
    chosen: list[Unit] = []
    problems: list[Rejected] = []
    for word in words:
        try:
            unit = loader.by_word(word)
        except Rejected as problem:
            problems.append(problem)
            loader.active.clear()
            continue
        if unit in chosen:
            raise refuse("HRL205", f"`{unit.name}` is named twice in `{spec}`")
        chosen.append(unit)
    if problems:
        raise Rejected(d for problem in problems for d in problem.diagnostics)
    editions = [unit for unit in chosen if isinstance(unit.tree, ast.Edition)]
    if len(editions) > 1 or (editions and chosen[0] is not editions[0]):
        names = ", ".join(f"`{unit.name}`" for unit in editions)
        places = [Label(unit.tree.name.span, "an edition") for unit in editions]
        raise refuse(
            "HRL204",
            f"an edition comes once, and first: {names} in `{spec}`",
            *places,
            help="name one edition, and the variants after it",
        )
    games = [unit.tree for unit in loader.order if isinstance(unit.tree, ast.Game)]
    if len(games) != 1:
        _several_games(spec, games)
    order = canonical_order(loader.order)
    edition = editions[0].tree if editions else None
    _check_excludes(order)
    return Composition(
        "+".join(unit.name for unit in chosen),
        spec,
        games[0],
        edition if isinstance(edition, ast.Edition) else None,
        order,
    )


def offered(composition: Composition, spec: str) -> tuple[str, ...]:
    """For an edition by itself, a SPEC with each of the variants it offers; otherwise nothing."""
    edition = composition.edition
    if edition is None or "+" in spec:
        return ()
    folder = next(unit.folder for unit in composition.order if unit.tree is edition)
    beside = {ident.text: folder / f"{ident}.hrl" for ident in edition.offers}
    known = builtin_names() if folder.resolve() == spec_folder().resolve() else ()
    words = (name if name in known or not is_file(path) else str(path) for name, path in beside.items())
    return tuple(f"{spec}+{word}" for word in words)


def _several_games(spec: str, games: list[ast.Game]) -> None:
    labels = [Label(game.name.span, "and this" if n else "this game") for n, game in enumerate(games)]
    raise refuse(
        "HRL203",
        f"`{spec}` joins {len(games)} different games",
        *labels,
        help="variants can be joined only if they extend the same game",
    )


def canonical_order(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """Bases first, otherwise by name: the order in which variants were named makes no difference."""
    left = sorted(units, key=lambda unit: unit.name)
    done: list[Unit] = []
    while left:
        ready = next(u for u in left if all(e.text in {d.name for d in done} for e in u.extends))
        left.remove(ready)
        done.append(ready)
    return tuple(done)


def _check_excludes(order: tuple[Unit, ...]) -> None:
    sink = Sink()
    names = {unit.name for unit in order}
    for unit in order:
        changes = () if isinstance(unit.tree, ast.Game) else unit.tree.changes
        for change in changes:
            if isinstance(change, ast.Excludes) and change.name.text in names:
                sink.report(
                    "HRL216",
                    f"`{unit.name}` and `{change.name}` contradict each other: {change.because}",
                    Label(change.span, "said here"),
                )
    sink.stop_if_errors()
