"""What tests cost: a plugin for pytest that tells the processor time of each file, and the dearest tests.

    python -m pytest -n auto -p bench.suite_costs

Counted is the time of the process and of the children that it has waited for, from the set-up of a test to its
teardown. Unlike seconds on the wall, that is much the same on a machine that has other things to do. Half of
the sum is what a run on two quiet cores takes, with some seconds more to start the workers.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Generator

import pytest

COST = "seconds of processor time"
DEAREST = 25
STARTED = pytest.StashKey[float]()


def spent() -> float:
    used = time.process_time()
    try:
        import resource
    except ImportError:  # elsewhere than on Unix, children are not counted
        return used
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used + children.ru_utime + children.ru_stime


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    item.stash[STARTED] = spent()
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "teardown":
        report.user_properties.append((COST, spent() - item.stash[STARTED]))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Reports have come from the workers, if there are any, with what they carry."""
    files, tests = defaultdict[str, float](float), dict[str, float]()
    for report in (report for several in terminalreporter.stats.values() for report in several):
        for name, cost in getattr(report, "user_properties", ()):
            if name == COST and report.when == "teardown":
                tests[report.nodeid] = cost
                files[report.nodeid.partition("::")[0]] += cost
    terminalreporter.section(f"{sum(tests.values()):.0f} {COST}")
    for costs, most in ((files, len(files)), (tests, DEAREST)):
        for name, cost in sorted(costs.items(), key=lambda known: -known[1])[:most]:
            terminalreporter.write_line(f"{cost:8.1f}  {name}")
