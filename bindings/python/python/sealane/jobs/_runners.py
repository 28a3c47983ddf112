"""Runs tasks in threads of this process, on Dask or on Ray."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any

from ._report import JobError, Record
from ._task import Task, failed, run

#: How many tasks a scheduler has at a time. A task is small: it has addresses and references to
#: keys, but no data.
_IN_FLIGHT = 1000
#: The maximum number of times that Ray repeats a task whose worker has died.
_DEATHS = 3

Runner = Callable[[list[Task]], Iterator[Record]]


def _local(workers: int | None) -> Runner:
    def runner(tasks: list[Task]) -> Iterator[Record]:
        # The threads wait for stores most of the time.
        with ThreadPoolExecutor(workers or 16, "sealane-job") as pool:
            waiting = iter(tasks)
            pending = {pool.submit(run, task) for task in itertools.islice(waiting, _IN_FLIGHT)}
            try:
                while pending:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    pending |= {pool.submit(run, task) for _, task in zip(done, waiting, strict=False)}
                    for future in done:
                        yield future.result()
            finally:
                for future in pending:
                    future.cancel()

    return runner


def _dask(client: Any, workers: int | None) -> Runner:
    import distributed

    if workers is not None:
        raise ValueError("workers cannot be set for dask: the client's cluster has its own")
    client = client or distributed.get_client()

    def runner(tasks: list[Task]) -> Iterator[Record]:
        waiting = iter(tasks)
        by_key: dict[str, Task] = {}

        def submit() -> Any:
            task = next(waiting, None)
            if task is None:
                return None
            # The key has the run's id, so that Dask does not return results of an earlier run.
            future = client.submit(run, task, key=f"sealane-{task.job.operation}-{task.job.id}-{len(by_key)}")
            by_key[future.key] = task
            return future

        first = [future for _ in range(min(_IN_FLIGHT, len(tasks))) if (future := submit())]
        # The loop of the client, which need not be the default client.
        completed = distributed.as_completed(first, loop=client.loop)
        for future in completed:
            try:
                record = future.result()
            except Exception as error:
                # The task turns its own exceptions into records, so this one comes from Dask: the
                # workers died, one could not load the task, or the task was lost.
                record = failed(by_key[future.key], error)
            future.release()
            if more := submit():
                completed.add(more)
            yield record

    return runner


def _ray(workers: int | None) -> Runner:
    import ray

    def runner(tasks: list[Task]) -> Iterator[Record]:
        if not ray.is_initialized():
            ray.init(log_to_driver=False)
        remote = ray.remote(max_retries=_DEATHS)(run)
        waiting = iter(tasks)
        pending: dict[Any, Task] = {}

        def submit() -> None:
            if (task := next(waiting, None)) is not None:
                pending[remote.remote(task)] = task

        for _ in range(min(workers or _IN_FLIGHT, len(tasks))):
            submit()
        while pending:
            [reference], _ = ray.wait(list(pending), num_returns=1)
            task = pending.pop(reference)
            try:
                record = ray.get(reference)
            except Exception as error:
                record = failed(task, error)
            submit()
            yield record

    return runner


def runner_of(name: str, workers: int | None, client: Any) -> Runner:
    """Returns the runner of that name."""
    if client is not None and name != "dask":
        raise ValueError("a client is for Dask")
    if name == "local":
        return _local(workers)
    with contextlib.suppress(ModuleNotFoundError):
        if name == "dask":
            return _dask(client, workers)
        if name == "ray":
            return _ray(workers)
    if name in ("dask", "ray"):
        package = {"dask": "distributed", "ray": "ray"}[name]
        raise JobError(f"the runner {name} needs the package {package}: pip install {package}")
    raise ValueError(f"the runner must be local, dask or ray, not {name!r}")
