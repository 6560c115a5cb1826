"""Results say which fixes scored them: in the criterion, which keeps what it does not know."""

from __future__ import annotations

from typing import Any

from evalfixes.runtime import record

KEY = "evalfixes"


def case_result(result: Any) -> Any:
    """An ``EvalCaseResult`` whose overall metric results are stamped, where their criterion has room for it."""
    said = record.stamp("google-adk")
    for found in getattr(result, "overall_eval_metric_results", None) or ():
        criterion: Any = getattr(found, "criterion", None)
        if getattr(type(criterion), "model_config", {}).get("extra") == "allow":
            # The criterion is shared with the configuration of the run, so it is copied.
            found.criterion = criterion.model_copy(update={KEY: said})
    return result
