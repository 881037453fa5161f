"""Attacks on everything that reads what others wrote, one module a kind of input."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent.parent / "tests"
if str(TESTS) not in sys.path:  # games that the tests make are material here too
    sys.path.append(str(TESTS))
