"""What the user chose, against what the game has to choose from."""

from __future__ import annotations

from hanabi_formal.compose.merge import Merged
from hanabi_formal.compose.settings import Settings
from hanabi_formal.diagnostics.diagnostic import Label, did_you_mean, refuse
from hanabi_formal.syntax import ast


def settled(merged: Merged, settings: Settings) -> Settings:
    """A number alone sets a parameter, or leaves one value of a range."""
    ranges = {name for kind, name in merged.items if kind == "range"}
    single = {name for name in settings.params if name in ranges and ("param", name) not in merged.items}
    params = {name: value for name, value in settings.params.items() if name not in single}
    cuts = {name: (str(settings.params[name]),) for name in single}
    return Settings(params, settings.rulings, {**settings.cuts, **cuts})


def check_settings(merged: Merged, settings: Settings) -> None:
    """Names on the command line that the game does not have."""
    for kind, given in (("param", settings.params), ("ruling", settings.rulings)):
        for name in given:
            if (kind, name) not in merged.items:
                word = "ruling" if kind == "ruling" else "parameter"
                names = [n for k, n in merged.items if k == kind]
                near = did_you_mean(name, names) or (f"it has {', '.join(sorted(names))}" if names else "it has none")
                other = "param" if kind == "ruling" else "ruling"
                if (other, name) in merged.items:
                    near = f"it is a {'parameter: `--set' if other == 'param' else 'ruling: `--ruling'} {name}=…`"
                if ("sort", name) in merged.items or ("cards", name) in merged.items:
                    near = f"how many there are of `{name}` follows from the parameters"
                raise refuse("HRL219", f"`{merged.composition.name}` has no {word} `{name}`", help=near)
    for name in settings.cuts:
        param = merged.items.get(("param", name))
        if isinstance(param, ast.Param):
            shown = ",".join(settings.cuts[name][:6])
            raise refuse(
                "HRL220",
                f"the parameter `{name}` is a number, and a small one, not `{shown}`",
                Label(param.name.span, "declared here"),
            )
        if ("enum", name) not in merged.items and ("range", name) not in merged.items:
            names = [n for k, n in merged.items if k in ("enum", "range")]
            raise refuse(
                "HRL219",
                f"`{merged.composition.name}` has no enumeration or range `{name}` to cut",
                help=did_you_mean(name, names, "types that can be cut"),
            )
