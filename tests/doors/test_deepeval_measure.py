"""Callers that drive ``metric.measure`` themselves: asking again, recording, and using a metric twice."""

from __future__ import annotations

import base64
import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evalfixes
from evalfixes.errors import UnscoredError
from evalfixes.fix import Fix
from evalfixes.fixes.deepeval._families import LISTS, SINGLES, Family
from evalfixes.fixes.deepeval._told import spans
from evalfixes.releases import in_range
from evalfixes.runtime.fingerprint import source_file
from tests.forked import forked

pytest.importorskip("deepeval.metrics", reason="deepeval is not installed")
pytestmark = [pytest.mark.door, pytest.mark.slow]

import deepeval  # noqa: E402

QAG = in_range(deepeval.__version__, "4.2.4..")
FAMILIES = [
    family
    for family in (*LISTS, *SINGLES)
    if source_file(family.module) is not None and in_range(deepeval.__version__, spans(family))
]
EXACT = ("role_violation", "prompt_alignment", "conversation_completeness")
HERE = [
    family
    for family in FAMILIES
    # Up to 4.2.3: single verdicts that fixes see to, and lists whose score and judge's text are as later on.
    if QAG or family.name in EXACT or (family in LISTS and not family.low and not family.turns)
]
MODES = [("json", "sync"), ("json", "async"), ("schema", "sync"), ("schema", "async")]


def reply(family: Family, *words: Any) -> Any:
    found = [{"verdict": word, "reason": "r", "statement": "s"} for word in words]
    if family in SINGLES:
        return {"verdict": words[0], "reason": "r"}
    return {"verdicts": found}


def one(family: Family, *rounds: Any, **more: Any) -> dict[str, Any]:
    return {"metric": family.cls, "items": 1, "replies": [{"rounds": list(rounds)}], **more}


def outcome(case: dict[str, Any], **options: Any) -> Any:
    evalfixes.apply(**options)
    from evalfixes.fixes.deepeval._harness import evaluate

    return evaluate(case)


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("family", HERE, ids=lambda family: family.cls)
def test_a_missing_verdict_is_asked_for_once_more(family: Family, mode: str) -> None:
    case = one(family, reply(family, "maybe"), reply(family, family.bad), mode=mode)
    assert forked(outcome, case) == {"score": 0.0, "status": "FAILED", "calls": 2}
    case = one(family, reply(family, "maybe"), reply(family, family.good), mode=mode)
    assert forked(outcome, case) == {"score": 1.0, "status": "PASSED", "calls": 2}
    case = one(family, reply(family, "maybe"), reply(family, "perhaps"), reply(family, family.good), mode=mode)
    assert forked(outcome, case) == {"score": None, "status": "ERROR", "calls": 2}
    assert forked(_patient, case) == {"score": 1.0, "status": "PASSED", "calls": 3}


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("family", [f for f in HERE if f in SINGLES], ids=lambda family: family.cls)
def test_a_second_reply_that_is_no_json_leaves_the_verdict_missing(family: Family, mode: str) -> None:
    good, silent, broken = reply(family, family.good), reply(family, "maybe"), {"text": "I cannot."}
    last = {"rounds": [silent, broken]}
    case = {"metric": family.cls, "items": 4, "mode": mode, "replies": [good, good, good, last]}
    assert forked(outcome, case) == {"score": 0.75, "status": "PASSED", "calls": 5}
    for rounds in ([broken, broken], [broken, silent]):
        case = {**case, "replies": [good, good, good, {"rounds": rounds}]}
        assert forked(outcome, case) == {"score": None, "status": "ERROR", "calls": 5}


def _patient(case: dict[str, Any]) -> Any:
    return outcome(case, rejudge=2)


@pytest.mark.parametrize(("path", "mode"), MODES)
@pytest.mark.parametrize("family", HERE, ids=lambda family: family.cls)
def test_a_complete_reply_costs_no_call_more(family: Family, path: str, mode: str) -> None:
    case = one(family, reply(family, family.good), path=path, mode=mode, include_reason=True)
    assert forked(outcome, case) == {"score": 1.0, "status": "PASSED", "calls": 1}


@pytest.mark.parametrize(("path", "mode"), MODES)
@pytest.mark.parametrize("family", [f for f in HERE if f.counted and not f.ranked], ids=lambda family: family.cls)
def test_the_rest_of_a_list_is_asked_for(family: Family, path: str, mode: str) -> None:
    good, bad = family.good, family.bad
    where: dict[str, Any] = {"path": path, "mode": mode, "items": 3}
    # Short: nobody knows which are missing, so all three are asked for.
    case = {**one(family, reply(family, good), reply(family, bad, bad, good)), **where}
    share = 0.0 if family.name == "role_violation" else 1 / 3
    seen = forked(outcome, case)
    assert (seen["status"], seen["calls"], round(seen["score"], 9)) == ("FAILED", 2, round(share, 9))
    # A bad verdict is not talked away by asking again.
    case = {**one(family, reply(family, bad), reply(family, good, good, good)), **where}
    seen = forked(outcome, case)
    assert seen["calls"] == 2
    assert seen["status"] == ("ERROR" if family.name == "role_violation" else "PASSED")
    assert seen["score"] is None or seen["score"] == pytest.approx(2 / 3)
    # A judge that merely repeats itself has not answered.
    case = {**one(family, reply(family, good)), **where}
    assert forked(outcome, case) == {"score": None, "status": "ERROR", "calls": 2}
    # More than there are items are unusable, but those that are bad for certain stay bad.
    case = {**one(family, reply(family, bad, bad, bad, good)), **where}
    assert forked(outcome, case)["status"] in ("FAILED", "ERROR")
    case = {**one(family, reply(family, good, good, good, good)), **where}
    assert forked(outcome, case)["status"] == "ERROR"


@pytest.mark.parametrize("family", [f for f in HERE if f.counted], ids=lambda family: family.cls)
def test_only_what_is_missing_is_asked_for(family: Family) -> None:
    good, bad = family.good, family.bad
    case = {**one(family, reply(family, good, "maybe", good), reply(family, bad)), "items": 3}
    # Up to 4.2.3 the second question is upstream's own prompt about the missing items: to the judge, a new one.
    case["replies"].append(reply(family, bad))
    seen = forked(outcome, case)
    full = {**one(family, reply(family, good, bad, good)), "items": 3}
    assert seen == {**forked(outcome, full), "calls": 2}


def _alone(case: dict[str, Any], **options: Any) -> Any:
    evalfixes.apply(**options)
    from evalfixes.fixes.deepeval import _harness

    judge = _harness._judge(case)
    metric, test_case = _harness._metric(case, judge), _harness._test_case(case)
    seen = []
    for replies in case["then"]:
        judge.script(replies)
        raised = ""
        try:
            metric.measure(test_case, _show_indicator=False)
        except UnscoredError as error:
            raised = f"{isinstance(error, ValueError)} {error.metric}"
        seen.append([raised, metric.score, metric.success, metric.is_successful(), bool(metric.error), metric.reason])
    return seen


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("family", HERE, ids=lambda family: family.cls)
def test_a_metric_is_used_again_after_a_bad_reply(family: Family, mode: str) -> None:
    good, silent = [reply(family, family.good)], [reply(family, "maybe")]
    case = {**one(family, reply(family, family.good), mode=mode), "then": [good, silent, good]}
    first, second, third = forked(_alone, case)
    assert first == third
    assert first[:4] == ["", 1.0, True, True]
    assert second == [f"True {family.cls}", None, False, False, True, None]
    assert forked(_recording, case)[1] == ["", None, False, False, True, None]


def _recording(case: dict[str, Any]) -> Any:
    return _alone(case, deepeval_errors="record")


def _policy(case: dict[str, Any], incomplete: str) -> Any:
    return outcome(case, incomplete=incomplete, rejudge=0)


def test_policies() -> None:
    family = next(f for f in HERE if f.name == "prompt_alignment")
    words = ("yes", "yes", "maybe")
    case = {**one(family, reply(family, *words)), "items": 3}
    assert forked(_policy, case, "decide") == {"score": pytest.approx(2 / 3), "status": "PASSED", "calls": 1}
    assert forked(_policy, case, "unscored") == {"score": None, "status": "ERROR", "calls": 1}
    silent = {**one(family, reply(family, "maybe", "maybe")), "items": 2}
    assert forked(_policy, silent, "worst") == {"score": 0.0, "status": "FAILED", "calls": 1}
    nothing = {**silent, "kwargs": {"threshold": 0.0}}
    assert forked(_policy, nothing, "decide")["status"] == "ERROR"


def test_a_detected_violation_stays_one() -> None:
    family = next(f for f in HERE if f.name == "role_violation")
    for words in (("yes", "maybe"), ("maybe", "Yes, it does"), ("yes",)):
        case = {**one(family, reply(family, *words)), "items": 2}
        assert forked(_policy, case, "decide")["status"] == "FAILED"


IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
MULTIMODAL = ("answer_relevancy", "faithfulness", "contextual_precision", "contextual_recall", "contextual_relevancy")


def _with_image(apply: bool, case: dict[str, Any], path: str) -> Any:
    if apply:
        evalfixes.apply()
    from deepeval.test_case import MLLMImage

    from evalfixes.fixes.deepeval import _harness

    judge = _harness._judge(case)
    type(judge).supports_multimodal = lambda self: True
    metric, test_case = _harness._metric(case, judge), _harness._test_case(case)
    for name in ("actual_output", "expected_output"):
        if getattr(test_case, name):
            setattr(test_case, name, f"{getattr(test_case, name)} {MLLMImage(url=path)}")
    # Images are found when a case is made.
    test_case = type(test_case)(
        **{
            name: getattr(test_case, name)
            for name in ("input", "actual_output", "expected_output", "retrieval_context")
        }
    )
    assert test_case.multimodal
    return _harness._measure(metric, test_case)


@pytest.mark.skipif(not QAG, reason="images in plain cases, and one question per metric")
@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("family", [f for f in HERE if f.name in MULTIMODAL], ids=lambda family: family.cls)
def test_cases_with_images_keep_working(tmp_path: Path, family: Family, mode: str) -> None:
    (tmp_path / "a.png").write_bytes(base64.b64decode(IMAGE))
    where = str(tmp_path / "a.png")
    yes, silent = reply(family, "yes", "yes", "no"), {"error": "content filtered"}
    case = {**one(family, yes, mode=mode), "items": 3}
    assert forked(_with_image, True, case, where) == forked(_with_image, False, case, where)
    case = {**one(family, silent, mode=mode), "items": 3}
    assert forked(_with_image, True, case, where)["status"] == "ERROR"


BARE = """
import os, sys
import evalfixes
evalfixes.apply()
assert "deepeval" not in sys.modules
assert "EVALFIXES_FROM_DOTENV" not in os.environ
"""


def test_importing_evalfixes_touches_nothing_of_deepeval(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("EVALFIXES_FROM_DOTENV=1\n")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DEEPEVAL_")}
    env = {**kept, "PYTHONPATH": str(Path(evalfixes.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", BARE], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [".env"]


def _within(function: Any, seen: tuple[Any, ...] = ()) -> list[Any]:
    """What a function holds in its closure, and so on inside of that."""
    found = [cell.cell_contents for cell in function.__closure__ or ()]
    for value in list(found):
        if inspect.isfunction(value) and value not in seen:
            found += _within(value, (*seen, function))
    return found


def _spans(fix: Fix) -> list[str]:
    """Traced upstream methods that the replacement no longer calls."""
    from importlib import import_module

    from evalfixes.runtime.engine import engine

    for module in fix.loads:
        import_module(module)
    evalfixes.apply(fix.id)
    lost = []
    for target, slot in engine.slots.items():
        if getattr(slot.original, "_is_deepeval_observed", False) and slot.original not in _within(slot.installed):
            lost.append(target)
    return lost


@pytest.mark.parametrize("fix", evalfixes.fixes("deepeval"), ids=lambda fix: fix.id)
def test_traced_methods_are_still_called(fix: Fix) -> None:
    assert forked(_spans, fix) == []


NO_LIST = [{"opinions": {}}, {"opinions": None}, {"opinions": "one"}, {}, {"error": "content filtered"}]


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("broken", NO_LIST, ids=str)
def test_the_list_of_what_is_to_be_judged_is_asked_for_once_more(broken: Any, mode: str) -> None:
    family = next(family for family in LISTS if family.name == "toxicity")
    low = in_range(deepeval.__version__, "3.2.5..4.1.10")
    case = one(family, reply(family, family.bad), mode=mode)
    listed = {"opinions": ["one"]}
    answered = forked(outcome, {**case, "extracted": {"Opinions": [broken, listed]}})
    assert answered == {"score": 1.0 if low else 0.0, "status": "FAILED", "calls": 1}
    silent = forked(outcome, {**case, "extracted": {"Opinions": [broken, broken, listed]}})
    assert silent == {"score": None, "status": "ERROR", "calls": 0}


def _tools(called: str, score: Any) -> Any:
    case = {
        "metric": "ToolCorrectnessMetric",
        "items": 1,
        "called": [called],
        "replies": [{"score": score, "reason": "r"}],
    }
    return outcome(case)


@pytest.mark.skipif(in_range(deepeval.__version__, "3.2.5..3.6.7"), reason="it asks no judge")
def test_tools_that_are_wrong_fail_whatever_the_judge_says() -> None:
    assert forked(_tools, "y", 20) == {"score": 0.0, "status": "FAILED", "calls": 2}
    assert forked(_tools, "x", 20) == {"score": None, "status": "ERROR", "calls": 2}
    assert forked(_tools, "x", 1) == {"score": 1.0, "status": "PASSED", "calls": 1}
