"""From paths to results: one record, one unit, or everything, here or in several processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from evalfixes.errors import EvalfixesError, OptionError
from evalfixes.rescoring import judged, reading
from evalfixes.rescoring.files import Unit, units
from evalfixes.rescoring.formats import rows
from evalfixes.rescoring.records import Options, Place, Problem, Record, Rescored

Outcome = Rescored | Problem

_UNITS_PER_JOB = 4
"""How many units wait for each process."""


def rescore_record(record: Record, options: Options | None = None) -> Outcome:
    """Rescores one record. Pure: it reads nothing else and changes nothing.

    Args:
        record: The record.
        options: How to; the defaults if None.

    Returns:
        What became of it, or the problem that it is.

    Raises:
        OptionError: An option cannot be followed at all, so neither for the next record.
    """
    module = rows if record.kind == "rows" else reading.FORMATS[record.kind]
    try:
        chosen = options or Options()
        result: Rescored = module.rescore(record, chosen)
        if chosen.metric == judged.METRIC and record.kind in ("adk", "deepeval"):
            result = judged.with_correctness(record, result, chosen)
    except OptionError:
        raise
    except EvalfixesError as error:
        return Problem(record.place, str(error))
    except Exception as error:  # a record may be damaged in any way
        return Problem(record.place, f"cannot be read: {type(error).__name__}: {error}")
    return result


def rescore_records(records: Iterable[Record | Problem], options: Options | None = None) -> Iterator[Outcome]:
    """Rescores records one by one, in order; problems pass through."""
    for record in records:
        yield record if isinstance(record, Problem) else rescore_record(record, options)


def rescore_unit(unit: Unit | Problem, options: Options) -> list[Outcome]:
    """Reads and rescores a unit; this is what another process or machine is given."""
    if isinstance(unit, Problem):
        return [unit]
    return list(rescore_records(reading.records(unit), options))


def rescore(paths: Sequence[str], options: Options | None = None, jobs: int = 1) -> Iterator[Outcome]:
    """Rescores all result files below paths.

    Args:
        paths: Files, folders, or URLs that fsspec opens.
        options: How to; the defaults if None.
        jobs: In how many processes.

    Yields:
        Results and problems in the order of the files; the same for any number of jobs.
    """
    work = partial(rescore_unit, options=options or Options())
    if jobs <= 1:
        for unit in units(paths):
            yield from work(unit)
    else:
        yield from _parallel(work, units(paths), jobs)


def _parallel(
    work: Callable[[Unit | Problem], list[Outcome]], todo: Iterator[Unit | Problem], jobs: int
) -> Iterator[Outcome]:
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(jobs) as pool:
        waiting: deque[tuple[Unit | Problem, Future[list[Outcome]]]] = deque()
        try:
            waiting.extend((unit, pool.submit(work, unit)) for unit in islice(todo, jobs * _UNITS_PER_JOB))
            while waiting:
                unit, future = waiting.popleft()
                yield from future.result()
                for more in islice(todo, 1):
                    waiting.append((more, pool.submit(work, more)))
        except BrokenProcessPool:
            where = unit.file if isinstance(unit, Unit) else str(unit.place)
            yield Problem(Place(where), "a process died over this; run it with --jobs 1", whole=True)
            raise
