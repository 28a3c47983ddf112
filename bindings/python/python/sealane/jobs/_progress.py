"""A progress bar for a whole job."""

from __future__ import annotations

import sys

from ._report import Progress, Record

_WIDTH = 30


class Bar:
    """Draws a bar on standard error, at most once for each percent."""

    def __init__(self, name: str) -> None:
        self._name, self._shown, self._failed = name, -1, 0

    def __call__(self, done: int, total: int, record: Record) -> None:
        self._failed += record.state == "failed"
        percent = 100 * done // total
        if percent == self._shown and done < total:
            return
        self._shown = percent
        filled = _WIDTH * done // total
        failed = f", {self._failed} failed" if self._failed else ""
        bar = "█" * filled + " " * (_WIDTH - filled)
        sys.stderr.write(f"\r{self._name} [{bar}] {done}/{total}{failed}" + ("\n" if done == total else ""))
        sys.stderr.flush()


def progress_of(progress: bool | Progress | None, name: str) -> Progress | None:
    """Returns the function to call after each object.

    By default, it is a bar if standard error is a terminal."""
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    if callable(progress):
        return progress
    return Bar(name) if progress else None
