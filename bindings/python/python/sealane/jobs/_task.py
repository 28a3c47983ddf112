"""One task, which processes one object on any runner. It returns a record, and never raises."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeVar

from .. import _sealane, age
from ..fsspec._ranges import CHUNK, SEALED_CHUNK
from ..fsspec._references import resolve_identities, resolve_recipients
from ._ledger import Ledger, digest
from ._place import Place
from ._report import JobError, Record
from ._stores import Conflict, Store, Version, is_connection_error, store_of

Operation = Literal["seal", "open", "rekey", "verify"]

#: The number of bytes that are read first. Most headers fit.
_FIRST_READ = 4096
#: The length of a piece of plaintext.
_STEP = 128 * CHUNK
#: The longest time between two attempts, in seconds.
_LONGEST_WAIT = 30.0

_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True)
class Job:
    """What all tasks of a run have in common. It holds references, and no secret."""

    operation: Operation
    #: A random text that differs for each run.
    id: str
    ledger: Place
    identities: Any = dataclasses.field(repr=False)
    recipients: Any
    keep: bool
    header_len: int | None
    #: How often an object is tried.
    attempts: int


@dataclasses.dataclass(frozen=True)
class Task:
    """One object of a job."""

    job: Job
    source: Place
    target: Place | None = None


class _Keys:
    """The keys of the latest run, which are resolved once in each process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._id = ""
        self._keys: tuple[list[Any], list[Any]] = ([], [])

    def of(self, job: Job) -> tuple[list[Any], list[Any]]:
        """Returns the identities and the recipients."""
        with self._lock:
            if self._id != job.id:
                self._keys = resolve_identities(job.identities), resolve_recipients(job.recipients)
                self._id = job.id
            return self._keys


_KEYS = _Keys()


def failed(task: Task, error: BaseException) -> Record:
    """Returns the record of a failure."""
    target = task.target.url if task.target else None
    message = str(error) or "no message"
    if isinstance(error, Conflict):
        message = "others changed the object at each attempt"
    return Record(task.source.url, "failed", target, f"{type(error).__name__}: {message}")


def run(task: Task) -> Record:
    """Runs a task, and writes its record to the ledger."""
    try:
        ledger = Ledger(task.job.ledger)
        record = _done(task, ledger)
        with contextlib.suppress(Exception) if record.state == "failed" else contextlib.nullcontext():
            _retried(task, lambda: ledger.put(record))
        return record
    except Exception as error:
        return failed(task, error)


def _done(task: Task, ledger: Ledger) -> Record:
    """Processes the object, and returns the record of that."""
    attempts = read = written = 0

    def attempt() -> tuple[Version, Version | None]:
        nonlocal attempts, read, written
        attempts += 1
        stores = [store_of(place.fs(), place.path) for place in (task.source, task.target) if place]
        try:
            versions: tuple[Version, Version | None] = _WORK[task.job.operation](task, ledger, stores)
            return versions
        finally:
            read += sum(store.bytes_read for store in stores)
            written += sum(store.bytes_written for store in stores)

    try:
        version, target_version = _retried(task, attempt)
        record = Record(
            task.source.url,
            "done",
            task.target.url if task.target else None,
            version=str(version),
            target_version=str(target_version) if target_version else None,
        )
    except Exception as error:
        record = failed(task, error)
    return dataclasses.replace(record, attempts=attempts, bytes_read=read, bytes_written=written)


def _retried(task: Task, work: Callable[[], _T]) -> _T:
    """Calls a function again while another attempt may succeed."""
    for attempt in itertools.count(1):
        try:
            return work()
        except Exception as error:
            if attempt >= task.job.attempts or not _can_retry(task, error):
                raise
        time.sleep(min(_LONGEST_WAIT, 0.1 * 2 ** min(attempt, 9)))
    raise AssertionError


def _can_retry(task: Task, error: Exception) -> bool:
    """Returns whether another attempt may succeed, as after a conflict or a failed connection."""
    if isinstance(error, Conflict):
        return True
    if isinstance(error, OSError):
        permanent = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)
        return not isinstance(error, permanent)
    # Also one of the ledger, which may be in another store.
    places = (task.source, task.target, task.job.ledger)
    return any(is_connection_error(place.fs(), error) for place in places if place)


def _header(store: Store, version: Version) -> tuple[bytes, age.Preamble]:
    """Returns the header of a sealed object and the nonce after it, as bytes and parsed."""
    preamble: age.Preamble | int = _FIRST_READ
    while isinstance(preamble, int):
        prefix = store.read(version, 0, min(version.size, preamble))
        preamble = age.Preamble.parse(prefix, version.size)
    return prefix[: preamble.length], preamble


def _rekey(task: Task, ledger: Ledger, stores: list[Store]) -> tuple[Version, None]:
    [store] = stores
    job, url = task.job, task.source.url
    intents = ledger.intents(url)
    for intent in intents:
        store.clean(intent.handle)
    version = store.version()
    if not version.is_exact:
        raise JobError("the filesystem reports neither a time nor an ETag, so a change by others would be lost")
    with _of_one_version(store, version):
        prefix, preamble = _header(store, version)
        old_len = preamble.length - 16
        known = {intent.header for intent in intents}
        if known and digest(prefix[:old_len]) in known:
            # An earlier attempt replaced the object, but was killed before it wrote its record.
            return version, None
        identities, recipients = _KEYS.of(job)
        header, _ = _sealane.rekey_header(prefix, identities, recipients, keep=job.keep, header_len=job.header_len)
    return store.replace_header(version, old_len, header, lambda handle: ledger.intend(url, header, handle)), None


def _seal(task: Task, ledger: Ledger, stores: list[Store]) -> tuple[Version, Version]:
    source, target = stores
    version = source.version()
    _, recipients = _KEYS.of(task.job)
    sealer = age.Sealer(recipients, header_len=task.job.header_len)

    def pieces() -> Iterator[bytes]:
        start = sealer.update(b"")
        # The header is a piece of its own, so that stores can replace it alone.
        yield start[:-16]
        pending = start[-16:]
        for data in source.read_from(version, 0, _STEP):
            yield pending + sealer.update(data)
            pending = b""
        yield pending + sealer.finish()
        _check(source, version)

    return version, _write(task, ledger, target, pieces(), version.size)


def _check(store: Store, version: Version) -> None:
    """Checks that all pieces were of one version, unless the store has checked that."""
    if not store.is_conditional and store.version() != version:
        raise Conflict


@contextlib.contextmanager
def _of_one_version(store: Store, version: Version) -> Iterator[None]:
    """Raises ``Conflict`` for an error about contents that others have replaced meanwhile.

    Pieces of two versions look like damage.
    """
    try:
        yield
    except age.AgeError:
        _check(store, version)
        raise


def _opened(store: Store, version: Version, job: Job) -> Iterator[bytes]:
    """Returns the plaintext in authentic pieces.

    The end of the file is authenticated with the last one.
    """
    with _of_one_version(store, version):
        prefix, preamble = _header(store, version)
        key = preamble.unlock(_KEYS.of(job)[0])
        total = version.size - len(prefix)
        length = age.PayloadKey.plaintext_len(total)
        if length is None:
            # Raises the error that says what is wrong with this length.
            age.PayloadKey.sealed_range(0, 1, total)
        position, step = len(prefix), 128 * SEALED_CHUNK
        while True:
            end = min(version.size, position + step)
            sealed = store.read(version, position, end)
            is_last, first = end == version.size, (position - len(prefix)) // SEALED_CHUNK
            plain = len(sealed) - 16 * -(-len(sealed) // SEALED_CHUNK)
            yield from key.open_chunks(first, is_last, sealed, [(0, plain)])
            position = end
            if is_last:
                return


def _open(task: Task, ledger: Ledger, stores: list[Store]) -> tuple[Version, Version]:
    source, target = stores
    version = source.version()
    return version, _write(task, ledger, target, _opened(source, version, task.job), version.size)


def _write(task: Task, ledger: Ledger, target: Store, pieces: Iterator[bytes], size: int) -> Version:
    """Writes the target, after cleaning up what earlier attempts left."""
    url = task.source.url
    for intent in ledger.intents(url):
        target.clean(intent.handle)
    return target.write(pieces, size, lambda handle: ledger.intend(url, handle.encode(), handle))


def _verify(task: Task, ledger: Ledger, stores: list[Store]) -> tuple[Version, None]:
    [store] = stores
    version = store.version()
    for _ in _opened(store, version, task.job):
        pass
    return version, None


_WORK: dict[Operation, Any] = {"seal": _seal, "open": _open, "rekey": _rekey, "verify": _verify}
