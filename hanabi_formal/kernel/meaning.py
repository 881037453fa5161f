"""A stable hash of what a game means. Comments, layout, places, citations and the texts of bands do not count."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from hanabi_formal.kernel.printer import print_system
from hanabi_formal.kernel.system import System

VERSION = 1


def meaning_hash(systems: Iterable[System], properties: bool = True) -> str:
    """One hash for a game, from its system for each player count; without properties, of the rules alone."""
    digest = hashlib.sha256(f"meaning {VERSION}\n".encode())
    for system in systems:
        digest.update(print_system(system, properties).encode())
        digest.update(b"\0")
    return digest.hexdigest()
