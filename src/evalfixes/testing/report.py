"""An audit for people and programs: a table by operator, JSON, and counterexamples to paste into an issue."""

from __future__ import annotations

from typing import Any

from evalfixes.testing.harness import Audit, Finding
from evalfixes.testing.outcome import DEAF, GREENER, SAFE

HEADS = ["operator", "group", "mutants", GREENER, DEAF, SAFE]
_PROMPT = 600
"""So many characters of a prompt's end are shown."""


def counts(audit: Audit) -> list[list[str]]:
    """One row per operator, and one for all."""
    rows = []
    for name in audit.operators:
        of_name = [finding for finding in audit.findings if finding.mutant.operator == name]
        kinds = [str(sum(finding.kind == kind for finding in of_name)) for kind in (GREENER, DEAF, SAFE)]
        rows.append([name, of_name[0].mutant.group, str(len(of_name)), *kinds])
    whole = [str(len(audit.of(kind))) for kind in (GREENER, DEAF, SAFE)]
    return [*rows, ["all", "", str(len(audit.findings)), *whole]]


def counterexample(target: str, finding: Finding, kept: str = "") -> str:
    """One finding, in Markdown, as it can be pasted into an issue.

    Args:
        target: The metric.
        finding: The finding.
        kept: What else there is to say, such as the releases that are installed.
    """
    before, after = finding.baseline.outcome, finding.outcome
    site = f" ({finding.mutant.site})" if finding.mutant.site else ""
    many = len(finding.baseline.exchanges)
    where = f", call {finding.call + 1} of {many}" if many > 1 else ""
    note = f" ({after.note})" if after.note else ""
    lines = [
        f"**{target}: {finding.kind} by {finding.mutant.operator}{site}{where}**",
        "",
        f"- on the judge's reply as it was: {before}",
        f"- on the mutated reply: {after}{note}",
        *([f"- {kept}"] if kept else []),
        "",
        "The judge's reply:",
        "",
        *_fenced(str(finding.exchange.reply)),
        "",
        "The mutated reply, all others unchanged:",
        "",
        *_fenced(str(finding.mutant.reply)),
    ]
    others = [(n, e) for n, e in enumerate(finding.baseline.exchanges) if n != finding.call]
    if others:
        lines += ["", "The other replies, in the order of the calls:", ""]
        lines += _fenced("\n".join(f"{number + 1}: {exchange.reply}" for number, exchange in others))
    lines += ["", "The prompt ends with:", "", *_fenced(finding.exchange.prompt[-_PROMPT:])]
    return "\n".join(lines)


def _fenced(text: str) -> list[str]:
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return [f"{ticks}text", text, ticks]


def document(audit: Audit) -> dict[str, Any]:
    """An audit as JSON-able data: counts, and the smallest counterexample of each kind and operator."""
    return {
        "target": audit.target,
        "counts": {kind: len(audit.of(kind)) for kind in (GREENER, DEAF, SAFE)},
        "operators": [
            {"operator": row[0], "group": row[1], **{head: int(n) for head, n in zip(HEADS[2:], row[2:], strict=True)}}
            for row in counts(audit)[:-1]
        ],
        "counterexamples": [described(finding) for kind in (GREENER, DEAF) for finding in audit.smallest(kind)],
        "unusable": dict(audit.unusable),
    }


def described(finding: Finding) -> dict[str, Any]:
    """One finding as JSON-able data."""
    return {
        "kind": finding.kind,
        "operator": finding.mutant.operator,
        "group": finding.mutant.group,
        "site": finding.mutant.site,
        "baseline": finding.baseline.name,
        "call": finding.call,
        "before": {"score": finding.baseline.outcome.score, "passed": finding.baseline.outcome.passed},
        "after": {
            "score": _number(finding.outcome.score),
            "passed": finding.outcome.passed,
            "note": finding.outcome.note,
        },
        "reply": str(finding.exchange.reply),
        "mutant": str(finding.mutant.reply),
        "replies": [str(exchange.reply) for exchange in finding.baseline.exchanges],
        "prompt": finding.exchange.prompt,
    }


def _number(score: float | None) -> float | str | None:
    """A score as JSON can hold it."""
    return score if score is None or abs(score) != float("inf") else str(score)
