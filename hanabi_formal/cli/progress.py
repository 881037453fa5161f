"""One line on the terminal that says what is being worked on; nothing where nobody reads it."""

from __future__ import annotations

import shutil
import sys
import time

from hanabi_formal.cli.terminal import overwrite

MOST_NAMED = 3


class Progress:
    """Some work in `total` parts, if that is known, that yields things called `unit`."""

    def __init__(self, total: int | None, unit: str) -> None:
        self._total = total
        self._unit = unit
        self._done = 0
        self._count = 0
        self._now: list[str] = []
        self._began = time.monotonic()
        self._visible = sys.stderr is not None and sys.stderr.isatty()

    def began(self, name: str) -> None:
        self._now.append(name)
        self.show()

    def counted(self) -> None:
        self._count += 1
        self.show()

    def done(self, name: str) -> None:
        self._now.remove(name)
        self._done += 1
        self.show()

    @property
    def text(self) -> str:
        seconds = int(time.monotonic() - self._began)
        many = f"{self._count} {self._unit}{'s' * (self._count != 1)}"
        named = ", ".join(self._now[:MOST_NAMED]) + ", …" * (len(self._now) > MOST_NAMED)
        parts = f"{self._done} of {self._total} done, " if self._total is not None else ""
        return f"{parts}{many}, {seconds} s" + (f"; now {named}" if named else "")

    def show(self) -> None:
        if self._visible:
            room = shutil.get_terminal_size().columns - 1
            overwrite(self.text[:room])

    def clear(self) -> None:
        if self._visible:
            overwrite("")
