"""Rescoring on a Dask cluster, for more files than one machine reads in time.

Dask and not Ray: `distributed` is pure Python on every Python that evalfixes supports, and a cluster of
processes needs no daemons, no shared memory and no second copy of the data. What is sent is
`rescore_unit`, the same pure function that runs here, and a unit: the name of a file or a batch of rows.

    from distributed import Client
    from evalfixes.rescoring.cluster import rescore_on

    with Client(n_workers=8, threads_per_worker=1) as client:
        for outcome in rescore_on(client, ["s3://results"]):
            ...

A worker that dies loses nothing: its units are run again elsewhere, and a unit's outcomes are taken
from the one future that stands for it, so none counts twice. Files must be readable where the workers
are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

from evalfixes.rescoring.engine import Outcome, rescore_unit
from evalfixes.rescoring.files import units
from evalfixes.rescoring.records import Options

AHEAD = 8
"""How many units wait for each thread of the cluster."""


def rescore_on(client: Any, paths: Sequence[str], options: Options | None = None) -> Iterator[Outcome]:
    """Rescores all result files below paths on a cluster.

    Args:
        client: A ``distributed.Client``.
        paths: Files, folders, or URLs that fsspec opens.
        options: How to; the defaults if None.

    Yields:
        The same as `evalfixes.rescoring.rescore`, in the same order.
    """
    chosen = options or Options()
    todo = units(paths)
    numbers = count()
    run = f"rescore-{id(todo):x}"
    waiting: deque[Any] = deque()

    def submit(at_most: int) -> None:
        for unit in islice(todo, at_most):
            key = f"{run}-{next(numbers)}"
            waiting.append(client.submit(rescore_unit, unit, chosen, key=key, pure=False, retries=2))

    submit(AHEAD * max(1, sum(client.nthreads().values())))
    while waiting:
        future = waiting.popleft()
        yield from future.result()
        future.release()
        submit(1)
