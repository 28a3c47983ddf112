"""Times pieces of work that take turns, so that a drift of the machine's speed affects all."""

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

Name = TypeVar("Name")


def least(
    work: Mapping[Name, Callable[[], object]], rounds: int, before: Callable[[], object] = lambda: None
) -> dict[Name, float]:
    """Returns the least time of each piece of work in seconds. ``before`` is called before each, untimed."""
    found = dict.fromkeys(work, float("inf"))
    for _ in range(rounds):
        for name, call in work.items():
            before()
            start = time.perf_counter()
            call()
            found[name] = min(found[name], time.perf_counter() - start)
    return found
