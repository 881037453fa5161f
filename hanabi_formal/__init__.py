"""Rules as a formal text that runs, is proved, solves deals and judges implementations.

`__all__` is the public interface, kept stable between versions; `hanabi_formal.api` describes it. All other modules are
the program's own, and may change at any time.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Game", "IllegalAction", "Instance", "Rejected", "State", "__version__", "load"]

if TYPE_CHECKING:
    from hanabi_formal.api import Game, IllegalAction, Instance, Rejected, State, load


def __getattr__(name: str) -> Any:
    """Import the API on first use, so that `--help` and `--version` load nothing heavy."""
    if name in __all__:
        from hanabi_formal import api

        return getattr(api, name)
    raise AttributeError(f"module 'hanabi_formal' has no attribute {name!r}")
