"""Small result files in the formats of the upstreams, made here."""

from __future__ import annotations

from typing import Any

PASSED, FAILED, NOT_EVALUATED, INFORMATIONAL = 1, 2, 3, 4


def content(*parts: Any) -> dict[str, Any] | None:
    """An answer: texts, or tables with ``text`` and ``thought``."""
    return {
        "role": "model",
        "parts": [{"text": part, "thought": None} if isinstance(part, str) else part for part in parts],
    }


def thought(text: str) -> dict[str, Any]:
    """A private part."""
    return {"text": text, "thought": True}


def invocation(answer: Any = None, calls: Any = (), rubrics: Any = None) -> dict[str, Any]:
    """One turn of an agent."""
    return {
        "user_content": content("q"),
        "final_response": answer,
        "intermediate_data": {"tool_uses": [{"name": name, "args": args} for name, args in calls]},
        "rubrics": rubrics,
    }


def events(*calls: tuple[str, Any]) -> dict[str, Any]:
    """The same with tool calls in events, as recent releases store them."""
    made = invocation(content("x"))
    parts = [{"text": None, "function_call": {"name": name, "args": args}} for name, args in calls]
    made["intermediate_data"] = {"invocation_events": [{"author": "a", "content": {"parts": parts}}, {"content": None}]}
    return made


def metric(name: str, score: float | None, status: int, threshold: float | None = 0.8, **more: Any) -> dict[str, Any]:
    """A metric's result."""
    return {"metric_name": name, "threshold": threshold, "score": score, "eval_status": status, **more}


def turn(actual: Any, expected: Any, *metrics: dict[str, Any]) -> dict[str, Any]:
    """A turn with its results."""
    return {"actual_invocation": actual, "expected_invocation": expected, "eval_metric_results": list(metrics)}


def case(final: int, overall: list[dict[str, Any]], turns: list[dict[str, Any]], name: str = "c") -> dict[str, Any]:
    """A case."""
    return {
        "eval_set_id": "s",
        "eval_id": name,
        "final_eval_status": final,
        "overall_eval_metric_results": overall,
        "eval_metric_result_per_invocation": turns,
        "session_id": "1",
    }


def history(*cases: Any) -> dict[str, Any]:
    """A file of google-adk's eval history."""
    return {"eval_set_result_id": "app_s_1.5", "eval_set_id": "s", "eval_case_results": list(cases)}


def answered(actual: Any, expected: Any, score: float, final: int = PASSED, threshold: float = 0.8) -> dict[str, Any]:
    """A case of one turn with ``response_match_score``."""
    row = metric("response_match_score", score, final, threshold)
    return case(final, [row], [turn(invocation(actual), invocation(expected), row)])


def camel(value: Any) -> Any:
    """The same with all field names in camel case, as servers print it."""
    if isinstance(value, dict):
        return {_camel(name): camel(inner) for name, inner in value.items()}
    return [camel(inner) for inner in value] if isinstance(value, list) else value


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def deepeval_run(*cases: Any) -> dict[str, Any]:
    """A stored test run of deepeval."""
    return {"testRunData": {"testCases": list(cases), "conversationalTestCases": [], "testPassed": 1}}


def test_case(success: bool, *metrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A test case of deepeval."""
    return {
        "name": "test_1",
        "input": "q",
        "actualOutput": "a",
        "success": success,
        "metricsData": list(metrics),
        **more,
    }


test_case.__test__ = False  # type: ignore[attr-defined]


def verdict_log(heading: str, items: list[str], verdicts: list[str]) -> str:
    """A verbose log as deepeval writes it."""
    listed = ",\n    ".join(f'"{item}"' for item in items)
    made = ",\n    ".join(f'{{\n        "verdict": "{word}",\n        "reason": "r"\n    }}' for word in verdicts)
    return f"{heading}:\n[\n    {listed}\n] \n \nVerdicts:\n[\n    {made}\n] \n \nScore: 1\nReason: r"
