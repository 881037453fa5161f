"""Files that a user names. Only plain files are opened: a pipe may never end, and a device may do anything."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_KINDS = {
    stat.S_IFIFO: "it is a pipe",
    stat.S_IFCHR: "it is a device",
    stat.S_IFBLK: "it is a device",
    stat.S_IFSOCK: "it is a socket",
}
# Whatever is put in the place of a file after we have looked must not make us wait either.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


class NotPlain(OSError):
    """A pipe, a device or a socket."""


def open_plain(path: Path) -> BinaryIO:
    """A plain file, to be read. `OSError` for anything else, without waiting; also for what can be no name."""
    try:
        _refuse_unless_plain(path.stat().st_mode)
        handle = os.open(path, _FLAGS)
    except ValueError:
        raise OSError(errno.EINVAL, "there can be no such name") from None
    try:
        _refuse_unless_plain(os.fstat(handle).st_mode)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_plain(path: Path, most: int) -> bytes:
    """The content of a plain file; of a longer one, one byte more than `most`."""
    with open_plain(path) as opened:
        # `/proc` has plain files that have nothing to read at the moment.
        return opened.read(most + 1) or b""


def _refuse_unless_plain(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise NotPlain(errno.EINVAL, f"{_KINDS.get(stat.S_IFMT(mode), 'it is something else')}, not a plain file")
