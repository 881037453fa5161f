"""Mistakes on the command line, in the same form as all other mistakes."""

from __future__ import annotations

import click

from hanabi_formal.diagnostics.diagnostic import Rejected, did_you_mean, refuse


def as_rejected(problem: click.ClickException) -> Rejected:
    """What click found wrong, told in our words where ours are plainer."""
    ctx = getattr(problem, "ctx", None)
    path = ctx.command_path if isinstance(ctx, click.Context) else "hanabi-formal"
    more = f"`{path} --help` shows how it is used"
    match problem:
        case click.NoSuchOption(option_name=name):
            known = _options(ctx) if isinstance(ctx, click.Context) else []
            return refuse("HRL700", f"there is no option `{name}`", help=did_you_mean(name, known) or more)
        case click.MissingParameter(param=click.Argument() as argument):
            return refuse(
                "HRL700", f"{argument.make_metavar(ctx or click.Context(click.Command('')))} is missing", help=more
            )
        case click.BadOptionUsage(option_name=name) if "requires an argument" in problem.message:
            return refuse("HRL700", f"`{name}` is given no value", help=more)
        case click.BadParameter(param=parameter) if parameter is not None and parameter.opts:
            name = max(parameter.opts, key=len)
            shown = f"`{name}`" if name.startswith("-") else parameter.human_readable_name
            return refuse("HRL700", f"{shown}: {_sentence(problem.message)}", help=more)
        case click.UsageError(message=message) if message.startswith("Got unexpected extra argument"):
            extra = message.partition("(")[2].removesuffix(")")
            return refuse("HRL700", f"there is too much on the command line: `{extra}`", help=more)
        case _:
            return refuse("HRL700", _sentence(problem.format_message()), help=more)


def _options(ctx: click.Context) -> list[str]:
    return [name for parameter in ctx.command.get_params(ctx) for name in parameter.opts if name.startswith("--")]


def _sentence(text: str) -> str:
    """Our messages begin small, quote with back-ticks and have no full stop."""
    text = text.strip().removesuffix(".").replace("'", "`")
    return text[:1].lower() + text[1:]
