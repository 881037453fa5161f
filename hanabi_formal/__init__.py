"""Rules as a formal text that runs, is proved, solves deals and judges implementations."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Game", "State", "__version__", "load"]

if TYPE_CHECKING:
    from hanabi_formal.api import Game, State, load


def __getattr__(name: str) -> Any:
    """Import the API on first use, so that `--help` and `--version` load nothing heavy."""
    if name in ("Game", "State", "load"):
        from hanabi_formal import api

        return getattr(api, name)
    raise AttributeError(f"module 'hanabi_formal' has no attribute {name!r}")
