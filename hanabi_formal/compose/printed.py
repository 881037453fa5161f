"""Whether a combination of variants is one that an edition offers, or one that only we can play."""

from __future__ import annotations

from pathlib import Path

from hanabi_formal.compose.rule_files import read_source
from hanabi_formal.compose.units import Composition, Unit
from hanabi_formal.diagnostics.diagnostic import Rejected
from hanabi_formal.resources import spec_folder
from hanabi_formal.syntax import ast
from hanabi_formal.syntax.parser import parse


def unprinted(composition: Composition) -> str | None:
    """Why no edition has this combination, or None if one has it or nothing is combined."""
    variants = composition.variants
    edition = composition.edition
    if edition is not None:
        offers = {ident.text for ident in edition.offers}
        missing = [name for name in variants if name not in offers]
        return f"`{edition.name}` does not offer {_listed(missing)}" if missing else None
    if len(_chosen(composition)) < 2 or any(set(variants) <= offers for offers in _all_offers(composition)):
        return None
    return f"no edition offers {_listed(list(variants))} together"


def _chosen(composition: Composition) -> list[Unit]:
    """Variants that no other one of the combination extends."""
    extended = {ident.text for unit in composition.order for ident in unit.extends}
    return [u for u in composition.order if isinstance(u.tree, ast.Variant) and u.name not in extended]


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _all_offers(composition: Composition) -> list[set[str]]:
    """What each edition of this game offers, among the files beside its units and the built-in ones."""
    folders: list[Path] = [spec_folder(), *(unit.folder for unit in composition.order)]
    found = []
    for path in sorted({path.resolve() for folder in folders for path in folder.glob("*.hrl")}):
        try:
            tree = parse(read_source(path, str(path)))
        except Rejected:
            continue
        if isinstance(tree, ast.Edition) and composition.game.name.text in (ident.text for ident in tree.extends):
            found.append({ident.text for ident in tree.offers})
    return found
