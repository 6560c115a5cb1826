"""Which past passes stand: results that are already stored, scored again without running an agent.

    from evalfixes.rescoring import Options, rescore

    for outcome in rescore(["agent/.adk/eval_history"]):
        ...  # Rescored, or Problem for what could not be read

`rescore_record` is the pure function on one record, `rescore_records` the same on an iterable, and
`evalfixes rescore` the command.
"""

from evalfixes.rescoring.engine import rescore, rescore_record, rescore_records
from evalfixes.rescoring.records import MetricChange, Options, Place, Problem, Record, Rescored

__all__ = [
    "MetricChange",
    "Options",
    "Place",
    "Problem",
    "Record",
    "Rescored",
    "rescore",
    "rescore_record",
    "rescore_records",
]
