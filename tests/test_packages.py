"""Packages from elsewhere, driven as they are. What is known of them is found, and nothing else."""

from __future__ import annotations

import json
import os
import re
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hanabi_formal.cli.main import cli

MODULES = {"open_spiel": "pyspiel"}
STOPS = ("--ruling", "perfect_in_last_round=stops")


def where(name: str) -> list[str]:
    """Options to find a package: HANABI_FORMAL_PYTHON_TEXTARENA names a Python that has it, if ours has not."""
    other = os.environ.get(f"HANABI_FORMAL_PYTHON_{name.upper()}")
    if other:
        return ["--python", other]
    if find_spec(MODULES.get(name, name)) is None:
        pytest.skip(f"needs {name}")
    return []


def compared(name: str, *args: str, code: int) -> dict[str, Any]:
    asked = ["diff", "en", "--impl", name, *where(name), *args, "--json"]
    result = CliRunner().invoke(cli, asked, catch_exceptions=False)
    assert result.exit_code == code, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def causes(data: dict[str, Any]) -> dict[tuple[str, ...], int]:
    return {tuple(difference["cause"]): difference["length"] for difference in data["differences"]}


def agrees(name: str, *args: str) -> None:
    data = compared(name, *STOPS, *args, code=0)
    assert data["agrees"]
    assert data["coverage"]["exercised"] == data["coverage"]["of"] > 0


def test_extras_have_names_that_every_pip_finds() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [name for name in project["optional-dependencies"] if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name)] == []


# ---- open_spiel ------------------------------------------------------------------------------------------
def test_open_spiel_agrees() -> None:
    agrees("open_spiel", "--games", "60", "--players", "3")


def test_open_spiel_ends_at_a_perfect_display() -> None:
    data = compared("open_spiel", "--games", "40", "--players", "2", code=1)
    (found,) = data["differences"]
    assert {"perfect_in_last_round": "stops"} in found["agrees_under"]
    assert found["length"] <= 12


@pytest.mark.slow
def test_open_spiel_agrees_for_long() -> None:
    agrees("open_spiel", "--games", "2000")


@pytest.mark.slow
def test_open_spiel_is_inferred() -> None:
    result = CliRunner().invoke(
        cli,
        [
            "diff",
            "en",
            "--impl",
            "open_spiel",
            *where("open_spiel"),
            "--infer",
            "--games",
            "60",
            "--players",
            "2",
            "--json",
        ],
        catch_exceptions=False,
    )
    found = json.loads(result.stdout)
    assert (
        found["rulings"].items()
        >= {
            "empty_hint": "refused",
            "discard_at_full": "refused",
            "take_token": "must",
            "loss_score": "zero",
            "perfect_in_last_round": "stops",
            "fit": "continues",
            "draw_after_fit": "yes",
            "draw_on_end": "no",
            "hopeless": "plays_on",
        }.items()
    )
    assert found["not_told_apart"].keys() == {"take_token", "stuck", "red_limit", "all_or_five"}
    assert found["unexplained"] == []


# ---- textarena -------------------------------------------------------------------------------------------
def test_textarena_differs_in_five_ways() -> None:
    found = causes(compared("textarena", "--games", "12", "--players", "2", code=1))
    assert found[("allows", "hint", "empty")] == 1
    assert found[("allows", "discard", "full")] == 1
    assert found[("refused but done", "hint")] == 2
    assert found[("differs", "ended", "strikes")] == 3
    assert found[("differs", "blue", "play", "fireworks.bonus")] == 6


# ---- what CI does not install ------------------------------------------------------------------------------
@pytest.mark.packages
def test_the_learning_environment_agrees() -> None:
    agrees("hanabi_learning_environment", "--games", "2000")


@pytest.mark.packages
def test_jaxmarl_has_a_long_last_round_in_tiny_decks() -> None:
    data = compared("jaxmarl", *STOPS, "--games", "8", "--players", "2", code=1)
    found = causes(data)
    assert found[("differs", "ended", "last_round")] == 2
    long = next(d for d in data["differences"] if d["cause"][:2] == ["differs", "ended"])
    assert long["cuts"]
    drawn = next(d for d in data["differences"] if d["cause"][-1] == "at the end")
    assert {"draw_on_end": "yes"} in drawn["agrees_under"]


def test_a_package_that_is_not_there() -> None:
    if find_spec("jaxmarl") is None:
        result = CliRunner().invoke(cli, ["diff", "en", "--impl", "jaxmarl"], catch_exceptions=False)
        assert result.exit_code == 2
        assert "pip install jaxmarl" in result.output
