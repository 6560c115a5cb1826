"""`evalfixes audit`: whether damage to a judge's reply makes a metric's outcome better."""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalfixes import __version__
from evalfixes.cli import reports
from evalfixes.errors import OptionError

if TYPE_CHECKING:
    from evalfixes.testing import Audit, Finding, Operator

FORMATS = ("text", "json", "sarif")
_SHOWN = 3
"""Counterexamples printed in full; the rest is in the JSON."""


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "audit",
        help="whether damage to a judge's reply makes a metric's outcome better",
        description="Runs a metric on replies of its judge to which one thing has happened, and says for each "
        "whether the outcome is greener (better than on the unmutated reply), deaf (another one although the reply "
        "says the same) or safe. The judge is scripted or answers from recordings; there is no network. Exit code: 0 "
        "no mutant is greener, 1 one is, 3 the target or the command are wrong.",
    )
    parser.add_argument(
        "target",
        metavar="TARGET",
        help="deepeval:CLASS, google-adk:METRIC, or MODULE:NAME of a metric class or of a function "
        "run(judge) that returns (score, passed)",
    )
    parser.add_argument("--recordings", metavar="FILE", help="JSON lines of prompt and reply to answer from")
    parser.add_argument("--apply", action="store_true", help="with the fixes of evalfixes in place, without re-asking")
    parser.add_argument("--format", choices=FORMATS, default="text", help="what to print (default: text)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="OPERATOR", help="only this operator (repeatable; a+b is both)"
    )
    parser.add_argument("--skip", action="append", default=[], metavar="OPERATOR", help="not this one (repeatable)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Audits and prints; returns the exit code."""
    from evalfixes.testing import GREENER, recordings
    from evalfixes.testing.targets import resolve

    operators = chosen(args.only, args.skip)
    exchanges = recordings(args.recordings) if args.recordings else ()
    if args.apply:
        from evalfixes.runtime.engine import apply

        apply(rejudge=0)  # asked again, a scripted judge gives the reply that was not mutated
    target = resolve(args.target, exchanges)
    logging.disable(logging.ERROR)  # a metric tells of each unusable reply, and here most of them are
    try:
        found = target.audit(operators, _watch if sys.stderr.isatty() and args.format == "text" else None)
    finally:
        logging.disable(logging.NOTSET)
        if sys.stderr.isatty():
            print("\x1b[2K", end="\r", file=sys.stderr, flush=True)
    code = int(bool(found.of(GREENER)))
    if args.format == "json":
        print(json.dumps(_document(found, target.dist, args.apply, code), indent=1, ensure_ascii=False))
    elif args.format == "sarif":
        print(json.dumps(sarif(found, target.dist, args.apply, code), indent=1, ensure_ascii=False))
    else:
        _print(found, target.dist, args.apply)
    return code


def chosen(only: Sequence[str], skip: Sequence[str]) -> list[Operator]:
    """The operators that the options name.

    Raises:
        OptionError: One is unknown, or none is left.
    """
    from evalfixes.testing import OPERATORS, operator

    try:
        wanted = [operator(name) for name in only] or list(OPERATORS)
        left = {operator(name).name for name in skip}
    except ValueError as error:
        raise OptionError(str(error)) from error
    found = [one for one in wanted if one.name not in left]
    if not found:
        raise OptionError("--only and --skip leave no operator")
    return found


def _watch(count: int) -> None:
    if count % 50 == 0:
        print(f"{count} mutants ...", end="\r", file=sys.stderr, flush=True)


def release(dist: str) -> str:
    """A distribution with its installed release; empty for none."""
    try:
        return f"{dist} {importlib.metadata.version(dist)}" if dist else ""
    except importlib.metadata.PackageNotFoundError:
        return dist


def _where(dist: str, applied: bool) -> str:
    how = f"evalfixes {__version__} applied" if applied else ""
    return ", ".join(filter(None, (release(dist), how)))


def headline(found: Audit, where: str) -> str:
    """One line: how many mutants, and what became of them."""
    from evalfixes.testing import DEAF, GREENER

    counts = ", ".join(f"{len(found.of(kind))} {kind}" for kind in (GREENER, DEAF))
    return f"{found.target}{f' ({where})' if where else ''}: {len(found.findings)} mutants, {counts}"


def _print(found: Audit, dist: str, applied: bool) -> None:
    from evalfixes.testing import DEAF, GREENER
    from evalfixes.testing.report import HEADS, counterexample, counts

    where = _where(dist, applied)
    print(headline(found, where))
    reports.print_grid(HEADS, counts(found))
    for name, reason in found.unusable.items():
        print(f"not compared with: {name} ({reason})")
    examples = sorted(found.smallest(GREENER), key=lambda finding: finding.size)
    examples += found.smallest(DEAF) if not examples else []
    for finding in examples[:_SHOWN]:
        print(f"\n{counterexample(found.target, finding, where)}")
    if len(examples) > _SHOWN:
        print(f"\n{len(examples) - _SHOWN} more operators have a counterexample; --only shows one, --format json all")


def _document(found: Audit, dist: str, applied: bool, code: int) -> dict[str, Any]:
    from evalfixes.testing.report import document

    head = {"schema_version": 1, "evalfixes": __version__, "exit_code": code, "applied": applied}
    return {**head, "installed": release(dist), **document(found)}


def sarif(found: Audit, dist: str, applied: bool, code: int, folder: Path | None = None) -> dict[str, Any]:
    """A SARIF 2.1.0 log: a rule per operator, a result per operator and kind with its smallest counterexample."""
    from evalfixes.testing import DEAF, GREENER

    examples = [finding for kind in (GREENER, DEAF) for finding in found.smallest(kind)]
    names = list(dict.fromkeys(finding.mutant.operator for finding in examples))
    rules = [_rule(name) for name in names]
    results = [
        _result(found, finding, names.index(finding.mutant.operator), dist, folder or Path.cwd())
        for finding in examples
    ]
    run_id = f"evalfixes-audit/{found.target}/{'applied' if applied else 'bare'}/"
    return reports.sarif_log(rules, results, run_id, code)


def _rule(name: str) -> dict[str, Any]:
    from evalfixes.testing import operator

    says = operator(name).says
    return {
        "id": f"audit/{name}",
        "shortDescription": {"text": f"A judge's reply in which {says}."},
        "fullDescription": {"text": f"The operator {name} mutates a judge's reply: {says}. It {operator(name).group}."},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["evaluation", "mutation-testing"]},
    }


def _result(found: Audit, finding: Finding, index: int, dist: str, folder: Path) -> dict[str, Any]:
    from evalfixes.testing import GREENER
    from evalfixes.testing.report import counterexample

    name = finding.mutant.operator
    text = (
        f"{found.target} is {finding.kind} by {name}: {finding.baseline.outcome} on the judge's reply, "
        f"{finding.outcome} on the mutated one."
    )
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": found.target, "kind": "function"}]}
    place = reports.manifest(dist, folder) if dist else None
    if place is not None:
        location["physicalLocation"] = {"artifactLocation": {"uri": place[0]}, "region": {"startLine": place[1]}}
    key = f"{found.target} {finding.kind} {name}"
    return {
        "ruleId": f"audit/{name}",
        "ruleIndex": index,
        "level": "error" if finding.kind == GREENER else "warning",
        "message": {"text": text, "markdown": counterexample(found.target, finding)},
        "locations": [location],
        "partialFingerprints": {"evalfixes/v1": hashlib.sha256(key.encode()).hexdigest()[:32]},
    }
