"""The entrance: one verb a question. A verb's module is imported only when it is asked for."""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

import click

from hanabi_formal import __version__
from hanabi_formal.cli.terminal import say

VERBS = {
    "check": "Is the specification well-formed, and does every property hold?",
    "cite": "Which clause is cited where, and which is not?",
    "fmt": "Write a rule file in the one true layout.",
    "explain": "What does a diagnostic mean, and what is the way out?",
    "play": "A game from a seed, with the clause behind each change.",
    "deal": "A deck from a seed, as text or JSON.",
    "winnable": "Can this deal reach the maximum? The line, or why not.",
    "certify": "Is this evidence about a deal valid?",
    "replay": "Is a recorded game legal, how does it end, what is it worth?",
    "diff": "Does another implementation follow these rules?",
}
INTERRUPTED = 130
BROKEN_PIPE = 141
BAD_INPUT = 2
OUR_FAULT = 4


class Verbs(click.Group):
    """Lists the verbs from the table; loads one by its name. Every way out of the program passes `main`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name in VERBS if find_spec(f"hanabi_formal.cli.{name}")]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        command = import_module(f"hanabi_formal.cli.{name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, names = args[0], self.list_commands(ctx)
        if name in names:
            return name, self.get_command(ctx, name), args[1:]
        from hanabi_formal.diagnostics.diagnostic import did_you_mean, refuse

        if name.startswith("-"):
            raise click.NoSuchOption(name, ctx=ctx)
        near = did_you_mean(name, names)
        raise refuse("HRL700", f"there is no verb `{name}`", help=near or f"the verbs are {', '.join(names)}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(name, VERBS[name]) for name in self.list_commands(ctx)])

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]
        given = sys.argv[1:] if args is None else list(args)
        for ours in ("complete_var", "standalone_mode", "windows_expand_args"):
            extra.pop(ours, None)
        for stream in (sys.stdout, sys.stderr):
            # What was read may hold half characters, which no encoding has.
            with contextlib.suppress(AttributeError, ValueError, OSError):
                stream.reconfigure(errors=ESCAPED)  # type: ignore[union-attr]
        sys.exit(_guarded(lambda: self._run(given, extra), given))

    def _run(self, args: list[str], extra: dict[str, Any]) -> int:
        if "_HANABI_FORMAL_COMPLETE" in os.environ:
            from click.shell_completion import shell_complete

            variable = "_HANABI_FORMAL_COMPLETE"
            return shell_complete(self, {}, "hanabi-formal", variable, os.environ[variable])
        code = 0
        try:
            with self.make_context("hanabi-formal", list(args), **extra) as ctx:
                self.invoke(ctx)
        except click.exceptions.Exit as leaving:
            code = leaving.exit_code
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        return code


def _escaped(problem: UnicodeError) -> tuple[str, int]:
    """What an encoding lacks, as JSON escapes it."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    text = problem.object[problem.start : problem.end]
    units = text.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), problem.end


ESCAPED = "hanabi-formal.escaped"
codecs.register_error(ESCAPED, _escaped)


def _guarded(work: Callable[[], int], args: list[str]) -> int:
    """The exit code of the work, and a line in words for all that can stop it."""
    try:
        try:
            return work()
        except Exception as problem:
            return _told(problem, args)
    except KeyboardInterrupt:
        _hush(sys.stdout)
        say("\ninterrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        _hush(sys.stdout)
        _hush(sys.stderr)
        return BROKEN_PIPE
    except OSError as problem:
        _hush(sys.stdout)
        with contextlib.suppress(OSError):
            say(f"error: cannot write the output: {(problem.strerror or 'it failed').lower()}", err=True)
        _hush(sys.stderr)
        return BAD_INPUT


def _told(problem: Exception, args: list[str]) -> int:
    """Tell what was wrong with the input; what was not the user's fault is told as ours."""
    from hanabi_formal.cli.common import Output
    from hanabi_formal.diagnostics.diagnostic import Label, Rejected, refuse
    from hanabi_formal.engines.disagreement import Disagreement
    from hanabi_formal.run.faults import Fault

    match problem:
        case Rejected():
            Output.of(args).refused(problem.diagnostics)
            return BAD_INPUT
        case Fault():
            labels = (Label(problem.span),) if problem.span else ()
            refused = refuse("HRL404", f"the rules break down in this game: {problem}", *labels)
            Output.of(args).refused(refused.diagnostics)
            return BAD_INPUT
        case click.ClickException():
            from hanabi_formal.cli.usage import as_rejected

            Output.of(args).refused(as_rejected(problem).diagnostics)
            return BAD_INPUT
        case click.Abort():
            raise KeyboardInterrupt from None
        case OSError() if _of_a_stream(problem):
            raise problem
        case Disagreement():
            Output.of(args).answer({"disagreement": problem.data}, "")
            say(f"error: {problem}\nThis is a fault of hanabi-formal: please report it, with the text above", err=True)
            return OUR_FAULT
    if os.environ.get("HANABI_FORMAL_DEBUG") or "--debug" in args:
        import traceback

        say("".join(traceback.format_exception(problem)), err=True, nl=False)
    kind = type(problem).__name__
    say(
        f"internal error: {kind}. This is a fault of hanabi-formal: please report it, with the output of"
        " `hanabi-formal --debug …`",
        err=True,
    )
    return OUR_FAULT


def _of_a_stream(problem: OSError) -> bool:
    """Was it the output that failed? Files name themselves in their errors, streams do not."""
    return problem.filename is None and problem.errno is not None


def _hush(stream: Any) -> None:
    """Nothing more reaches a stream whose reader is gone; Python would complain while it closes it."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        number = stream.fileno()
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)


@click.command(
    cls=Verbs,
    name="hanabi-formal",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=False,
    invoke_without_command=True,
    subcommand_metavar="VERB …",
)
@click.version_option(__version__, "-V", "--version", message="%(prog)s %(version)s", help="Show the version.")
@click.option("--debug", is_flag=True, help="Show where an internal error happened.")
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """The rules of Hanabi as a formal text: check it, run it, ask it.

    SPEC is a path, the name of a built-in specification, or several joined by `+`: `base`, `spec/base.hrl+mine.hrl`.

    Exit codes: 0 as expected, 1 not as expected, 2 bad input, 3 undecided, 4 a fault of this program.
    """
    if ctx.invoked_subcommand is None:
        say(ctx.get_help())


def main() -> NoReturn:
    cli.main()
