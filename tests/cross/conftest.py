"""The compact table of ends, after the tests of a run."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, [])]
    lines = [
        str(value) for report in reports for name, value in getattr(report, "user_properties", []) if name == "cross"
    ]
    if lines:
        terminalreporter.section("games played in both engines")
        for line in sorted(lines):
            terminalreporter.write_line(line)
