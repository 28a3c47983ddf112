"""The records of objects, and the report of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

from .._errors import SealaneError

State = Literal["done", "unchanged", "failed"]


class JobError(SealaneError):
    """A job cannot be started, or some of its objects failed."""


@dataclasses.dataclass(frozen=True)
class Record:
    """The outcome of one object."""

    #: The address of the object.
    url: str
    #: ``done``, ``unchanged`` (an earlier run had done it) or ``failed``.
    state: State
    #: The address of the object that was written, if that is not the object itself.
    target: str | None = None
    #: The class and the message of the error, if the object failed.
    error: str | None = None
    #: How often the object was tried in the last run that touched it.
    attempts: int = 0
    #: The number of bytes of objects that were read and written.
    bytes_read: int = 0
    bytes_written: int = 0
    #: The versions of the object and of the target after the job.
    version: str | None = None
    target_version: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Returns the fields that have a value."""
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Record:
        """Returns the record with these fields.

        Raises ``TypeError`` for unknown or missing fields.
        """
        return cls(**fields)


@dataclasses.dataclass(frozen=True)
class Report:
    """The records of a run, in the order of the objects."""

    records: list[Record]

    def count(self, state: State) -> int:
        """Returns the number of objects in this state."""
        return sum(record.state == state for record in self.records)

    @property
    def failures(self) -> list[Record]:
        """The records of the objects that failed."""
        return [record for record in self.records if record.state == "failed"]

    @property
    def bytes_read(self) -> int:
        """The number of bytes of objects that this run read."""
        return sum(record.bytes_read for record in self.records if record.state != "unchanged")

    @property
    def bytes_written(self) -> int:
        """The number of bytes of objects that this run wrote."""
        return sum(record.bytes_written for record in self.records if record.state != "unchanged")

    def check(self) -> Report:
        """Returns the report. Raises ``JobError`` if an object failed."""
        failures = self.failures
        if failures:
            lines = [f"{record.url}: {record.error}" for record in failures[:5]]
            more = [f"and {len(failures) - 5} more"] if len(failures) > 5 else []
            raise JobError("\n".join([f"{len(failures)} of {len(self.records)} objects failed:", *lines, *more]))
        return self

    def __str__(self) -> str:
        return (
            f"{self.count('done')} done, {self.count('unchanged')} unchanged, {self.count('failed')} failed;"
            f" {self.bytes_read} bytes read, {self.bytes_written} bytes written"
        )


Progress = Callable[[int, int, Record], object]
