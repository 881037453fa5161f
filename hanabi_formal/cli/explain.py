"""`explain CODE`: a diagnostic at length."""

from __future__ import annotations

import click

from hanabi_formal.cli.common import Output, output_options
from hanabi_formal.diagnostics.codes import CODES, Code
from hanabi_formal.diagnostics.diagnostic import refuse


@click.command("explain")
@click.argument("code", required=False)
@click.option("--list", "listing", is_flag=True, help="All codes, each with its sentence.")
@output_options
def command(code: str | None, listing: bool, output: Output) -> None:
    """What does CODE (such as HRL206) mean, and what is the way out?"""
    if listing == (code is not None):
        raise refuse(
            "HRL700", "give one code to explain, or `--list`", help="for example `hanabi-formal explain HRL206`"
        )
    if code is None:
        table = [_data(name, item) for name, item in CODES.items()]
        lines = (f"{name}  {item.severity:7}  {item.title}" for name, item in CODES.items())
        output.answer({"codes": table}, "\n".join(lines))
        return
    name = code.upper() if code.upper().startswith("HRL") else f"HRL{code}"
    if name not in CODES:
        raise refuse("HRL700", f"there is no code `{code}`", help="`hanabi-formal explain --list` shows all")
    item = CODES[name]
    output.answer({**_data(name, item), "text": item.text}, f"{item.severity}[{name}]: {item.title}\n\n{item.text}")


def _data(name: str, item: Code) -> dict[str, str]:
    return {"code": name, "severity": item.severity, "title": item.title}
