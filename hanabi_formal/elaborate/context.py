"""What an expression may see at the place where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hanabi_formal.kernel.expr import Expr, Lit
from hanabi_formal.kernel.types import EnumType, IntType, Type

NUMBER = IntType(0, 0)
"""Where any number is expected."""
UNKNOWN = EnumType("?", ())
POISON = Lit(0, UNKNOWN)


def is_unknown(kind: Type) -> bool:
    """The type of something that was reported already; it agrees with everything."""
    return kind == UNKNOWN


@dataclass(frozen=True)
class Context:
    """`where` names the place in messages. Parameters of definitions and bound names are in `names`.

    With `outcomes` it may ask whether the game has ended; what is read only of games that have is `after_end`. In both
    the score is the one the game has, be it that of an end.
    """

    where: str
    names: Mapping[str, Expr] = field(default_factory=dict)
    state: bool = True
    records: bool = False
    primes: bool = False
    outcomes: bool = False
    after_end: bool = False

    def bind(self, names: Mapping[str, Expr]) -> Context:
        return replace(self, names={**self.names, **names})

    def called(self, where: str) -> Context:
        return replace(self, where=where)

    def only(self, names: Mapping[str, Expr]) -> Context:
        """Inside a definition: its parameters and nothing of the caller's."""
        return replace(self, names=dict(names))


CONSTANT = Context("a constant", state=False)
RULE = Context("a rule")
RATING = Context("the condition of the bands", after_end=True)
KNOWLEDGE = Context("a view", records=True)
PROPERTY = Context("a property", records=True, outcomes=True)
STEP = Context("a step property", records=True, primes=True, outcomes=True)
