"""Seals, opens, re-keys and verifies many objects, on this machine or on a cluster.

::

    report = jobs.rekey(
        "s3://bucket/lake/",
        identities="file:old.txt",
        recipients="age1…",
        ledger="s3://bucket-of-jobs/rekey-2027/",
        runner="dask",
    )
    report.check()

Each object is one task, and its result is a ``Record``, so a failed object does not end the job.
``ledger`` is a folder, local or in a store, in which workers record what they have done. If a job
was interrupted, or some objects failed, call it again with the same ledger: it does what is left.
Once everything is done, another call changes nothing and succeeds. ``verify`` is different: each
call that follows a finished one reads everything, also if objects failed. A ledger belongs to one
job.

- Sources are one or several fsspec addresses. An address names an object, a folder with everything
  below it, or a pattern of names of objects and folders. An address that yields no object is an
  error. A name that exists is not taken as a pattern. Symbolic links to files are followed, and a
  re-key changes a file once, even if several names lead to it. A link to a folder outside the
  sources is a failure, and so are a folder that cannot be listed, and an object with contents whose
  name ends in ``/``. Jobs work on the encrypted objects themselves, so ``age::`` before an address
  is ignored.
- If two objects would have the same target, the job does not start. On this machine, two names can
  be the same target because of a link, or because a folder ignores case.
- Identities and recipients are references: ``file:PATH``, ``env:NAME``, or a function of a module
  that the workers have. Each worker resolves them. Public texts (``age1…``) stand for themselves.
  The ledger names recipients, and the identities of ``verify``. So a function among these must have
  a name in its module: a lambda or ``functools.partial`` is an error.
- ``runner`` is ``local`` (threads), ``dask`` (``client``, or the current one) or ``ray``.
  ``workers`` is the number of threads, by default 16, or the largest number of tasks that Ray has
  at a time. Dask has its own workers.
- A recipients file must not change until the job is done: objects that are done are not done again.
- ``attempts`` is how often an object is tried if others change it or its store fails. The waits
  between the attempts grow, up to 30 seconds each.
- ``progress`` is ``True`` or ``False`` for a bar, or a function that is called with the number of
  objects done, their total number, and the record. The default is a bar if standard error is a
  terminal.
"""

from __future__ import annotations

import operator
import secrets
import sys
from collections.abc import Iterable
from typing import Any, Literal

from .. import age
from ..fsspec._references import check_identities, check_recipients
from ._lake import SealedIdentity
from ._ledger import Ledger
from ._listing import detailed, followed
from ._place import Found, Place, check_targets, find, is_result, leads_out, target_of, without_links
from ._progress import progress_of
from ._report import JobError, Progress, Record, Report
from ._runners import runner_of
from ._stores import version_of
from ._task import Job, Operation, Task

__all__ = ["JobError", "Record", "Report", "SealedIdentity", "open", "rekey", "seal", "verify"]

Sources = str | Iterable[str]
RunnerName = Literal["local", "dask", "ray"]
Options = dict[str, Any] | None


def seal(
    sources: Sources,
    target: str,
    *,
    recipients: Any,
    ledger: str,
    header_len: int | None = None,
    storage_options: Options = None,
    target_options: Options = None,
    ledger_options: Options = None,
    runner: RunnerName = "local",
    client: Any = None,
    workers: int | None = None,
    attempts: int = 5,
    progress: bool | Progress | None = None,
) -> Report:
    """Encrypts objects to a folder, each to the same path below it. Objects there are replaced.

    ``header_len`` pads the headers to that length, so that listings know the sizes of plaintexts.
    ``target_options`` are options for the target's filesystem, by default ``storage_options``.
    """
    job = _Run("seal", ledger, ledger_options, recipients=recipients, header_len=header_len, attempts=attempts)
    return job.run(sources, storage_options, target, target_options, runner, client, workers, progress)


def open(
    sources: Sources,
    target: str,
    *,
    identities: Any,
    ledger: str,
    storage_options: Options = None,
    target_options: Options = None,
    ledger_options: Options = None,
    runner: RunnerName = "local",
    client: Any = None,
    workers: int | None = None,
    attempts: int = 5,
    progress: bool | Progress | None = None,
) -> Report:
    """Decrypts objects to a folder, each to the same path below it. Objects there are replaced.

    An object appears only when all of it is authentic.
    """
    job = _Run("open", ledger, ledger_options, identities=identities, attempts=attempts)
    return job.run(sources, storage_options, target, target_options, runner, client, workers, progress)


def rekey(
    sources: Sources,
    *,
    identities: Any,
    recipients: Any,
    ledger: str,
    keep: bool = False,
    header_len: int | None = None,
    storage_options: Options = None,
    ledger_options: Options = None,
    runner: RunnerName = "local",
    client: Any = None,
    workers: int | None = None,
    attempts: int = 5,
    progress: bool | Progress | None = None,
) -> Report:
    """Encrypts objects to other recipients by replacing their headers.

    Payloads are not encrypted again, and are copied inside the store where it can do that. Then 5
    MiB of each object pass through the network in each direction on S3, and only the header on
    Azure. An object is replaced only if nobody else has changed it meanwhile. With ``keep``, the
    present recipients can still open the objects. Leaving it out does not revoke access: anyone who
    could open an object before can still open a copy of it.

    The new recipients can open whatever the store has at the addresses, so the identities should
    open nothing that the new recipients must not read. To admit readers to a sealed identity, use
    ``SealedIdentity.seal_for``.
    """
    settings = {"recipients": recipients, "keep": keep, "header_len": header_len}
    job = _Run("rekey", ledger, ledger_options, identities=identities, attempts=attempts, **settings)
    return job.run(sources, storage_options, None, None, runner, client, workers, progress)


def verify(
    sources: Sources,
    *,
    identities: Any,
    ledger: str,
    storage_options: Options = None,
    ledger_options: Options = None,
    runner: RunnerName = "local",
    client: Any = None,
    workers: int | None = None,
    attempts: int = 5,
    progress: bool | Progress | None = None,
) -> Report:
    """Reads objects, and authenticates them to their ends.

    Each call reads every object. Only after a call that was interrupted, so that it returned no
    report, the next one with the same ledger skips objects: those that were read before and still
    have the same version, according to the store. If the store is not to be trusted with that, use
    a new ledger.
    """
    job = _Run("verify", ledger, ledger_options, identities=identities, attempts=attempts)
    return job.run(sources, storage_options, None, None, runner, client, workers, progress)


def _text(reference: Any) -> Any:
    """Returns the public text of a recipient, and other references as they are."""
    if isinstance(reference, age.Recipient):
        return str(reference)
    if isinstance(reference, str) or callable(reference):
        return reference
    return [_text(one) for one in reference]


def _name(reference: Any) -> Any:
    """Returns what the ledger writes for a reference. Different references have different names."""
    if reference is None or isinstance(reference, str):
        return reference
    if isinstance(reference, SealedIdentity):
        # Without the options and parts of the URL, which may be secret.
        identities = _name(reference.identities)
        return {"url": reference.address, "recipient": reference.recipient, "identities": identities}
    if not callable(reference):
        return [_name(one) for one in reference]
    module, name = getattr(reference, "__module__", ""), getattr(reference, "__qualname__", "")
    try:
        found = operator.attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError):
        found = None
    if found != reference:
        raise ValueError(
            "the ledger cannot tell this function from others, such as the same partial with other arguments:"
            " define it with a name of its own in a module, and pass it by that name"
        )
    return f"{module}.{name}"


class _Run:
    """One call of ``seal``, ``open``, ``rekey`` or ``verify``."""

    def __init__(
        self,
        operation: Operation,
        ledger: str,
        ledger_options: Options,
        *,
        identities: Any = None,
        recipients: Any = None,
        keep: bool = False,
        header_len: int | None = None,
        attempts: int,
    ) -> None:
        identities, recipients = check_identities(identities), check_recipients(recipients)
        if attempts < 1:
            raise ValueError("attempts must be at least 1")
        place = Place.of(ledger, ledger_options)
        recipients = None if recipients is None else _text(recipients)
        if not isinstance(identities, str) and not callable(identities) and identities is not None:
            identities = list(identities)
        self._job = Job(operation, secrets.token_hex(8), place, identities, recipients, keep, header_len, attempts)

    def run(
        self,
        sources: Sources,
        options: Options,
        target: str | None,
        target_options: Options,
        runner_name: RunnerName,
        client: Any,
        workers: int | None,
        progress: bool | Progress | None,
    ) -> Report:
        """Runs the tasks that the ledger does not record as done."""
        job = self._job
        runner = runner_of(runner_name, workers, client)
        place = Place.of(target, options if target_options is None else target_options) if target else None
        ledger = Ledger(job.ledger)
        ledger.begin(
            {
                "operation": job.operation,
                "recipients": _name(job.recipients) if job.recipients is not None else None,
                "keep": job.keep,
                "header_len": job.header_len,
                # The result of a verification depends on who can open the objects.
                "identities": _name(job.identities) if job.operation == "verify" else None,
                "target": place.url if place else None,
            }
        )
        if job.operation == "verify":
            ledger.forget_finished()
        known = ledger.records()
        found = [one for one in find(sources, options) if not self._is_of_ledger(one)]
        if place:
            found = [one for one in found if not is_result(one, place)]
        elif job.operation == "rekey":
            found = without_links(found)
        targets = self._targets(place)
        records: dict[str, Record] = {}
        tasks, written = [], []
        for one in found:
            url = one.place.url
            if one.error is not None:
                records[url] = Record(url, "failed", error=one.error)
                continue
            if place and leads_out(one.relative):
                records[url] = Record(url, "failed", error="the name of the object leads out of the target")
                continue
            task = Task(job, one.place, target_of(one, place) if place else None)
            if task.target is not None:
                written.append(task.target)
            record = known.get(url)
            if record is not None and _is_done(record, one, task.target, targets):
                records[url] = Record(**{**record.to_json(), "state": "unchanged"})
            else:
                records[url] = Record(url, "failed", error="the runner lost the task")
                tasks.append(task)
        check_targets(written)
        report = progress_of(progress, job.operation)
        done = len(found) - len(tasks)
        for record in runner(tasks) if tasks else ():
            records[record.url] = record
            done += 1
            if report is not None:
                report(done, len(found), record)
        if job.operation == "verify":
            ledger.finish()
        ledger.forget_intents([record.url for record in records.values() if record.state == "done"])
        return Report(list(records.values()))

    def _is_of_ledger(self, found: Found) -> bool:
        ledger = self._job.ledger
        root = ledger.path.rstrip("/") + "/"
        return found.place.path.startswith(root) and found.place.has_protocol_of(ledger)

    @staticmethod
    def _targets(place: Place | None) -> dict[str, str]:
        """Returns the versions of all objects of the target, by path, as far as they are exact."""
        if place is None:
            return {}
        fs = place.fs()
        fs.invalidate_cache()
        try:
            listing = fs.find(place.path, detail=True)
        except FileNotFoundError:
            return {}
        infos = {path: followed(fs, path, info) for path, info in detailed(fs, listing).items()}
        versions = {path: version_of(fs, info) for path, info in infos.items() if info["type"] == "file"}
        return {path: str(version) for path, version in versions.items() if version.is_exact}


def _is_done(record: Record, found: Found, target: Place | None, targets: dict[str, str]) -> bool:
    """Whether an object and its target still have the versions that the job left."""
    version = version_of(found.place.fs(), found.info)
    if record.state != "done" or not version.is_exact or record.version != str(version):
        return False
    return target is None or (record.target == target.url and record.target_version == targets.get(target.path))
