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

    def with_params(self, **params: int) -> Settings:
        return Settings({**self.params, **params}, self.rulings, self.cuts)
