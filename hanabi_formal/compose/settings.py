"""What the user chose: player count, parameters, rulings, smaller types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Settings:
    """`params` holds numbers by parameter name (`players` among them), `cuts` the values left of a type."""

    params: Mapping[str, int] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)
    cuts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, dict[str, object]]:
        """As JSON; `players` are told elsewhere."""
        numbers = {name: value for name, value in self.params.items() if name != "players"}
        return {"rulings": dict(self.rulings), "set": {**numbers, **{name: list(v) for name, v in self.cuts.items()}}}

    def with_params(self, **params: int) -> Settings:
        return Settings({**self.params, **params}, self.rulings, self.cuts)
