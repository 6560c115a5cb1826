"""`evalfixes list` and `evalfixes show`: the fixes there are, and what one of them is."""

from __future__ import annotations

import argparse
import json
from typing import Any

from evalfixes import catalog
from evalfixes.facts import fix_facts
from evalfixes.fix import Fix


def register(commands: argparse._SubParsersAction[Any]) -> None:
    """Adds both commands."""
    listing = commands.add_parser("list", help="the fixes there are", description="Lists all fixes.")
    listing.add_argument("--dist", metavar="NAME", help="only fixes of this distribution")
    listing.add_argument("--format", choices=("text", "json", "osv"), default="text", help="what to print")
    listing.add_argument("--json", action="store_const", dest="format", const="json", help="the same as --format json")
    listing.set_defaults(run=_list)
    show = commands.add_parser("show", help="what a fix is", description="Shows one fix.")
    show.add_argument("id", metavar="ID")
    show.add_argument("--json", action="store_true", help="print JSON")
    show.set_defaults(run=_show)


def describe(fix: Fix) -> dict[str, Any]:
    """All that is known of a fix without running it, as JSON-able data."""
    facts = fix_facts(fix.dist, fix.id)
    return {
        "id": fix.id,
        "dist": fix.dist,
        "title": fix.title,
        "before": fix.before,
        "after": fix.after,
        "risks": fix.risks,
        "affected": facts.affected,
        "fixed_in": facts.fixed_in or None,
        "links": list(facts.links),
        "notes": facts.notes,
        "requires": list(fix.requires),
        "default": fix.default,
        "replaces": [r.target for r in fix.replacements],
        "scenarios": [
            {"name": s.name, "control": s.control, "wrong": s.wrong, "right": s.right, "case": s.case}
            for s in fix.scenarios
        ],
    }


def _list(args: argparse.Namespace) -> int:
    found = catalog.fixes(known_dist(args.dist))
    if args.format == "json":
        print(json.dumps({"schema_version": 1, "fixes": [describe(fix) for fix in found]}, indent=1))
        return 0
    if args.format == "osv":
        from evalfixes.cli.osv import record

        print(json.dumps([record(fix) for fix in found], indent=1))
        return 0
    width = max((len(fix.id) for fix in found), default=0)
    for fix in found:
        facts = fix_facts(fix.dist, fix.id)
        off = "" if fix.default else " (only by name)"
        print(f"{fix.id:<{width}}  {fix.dist:<14}  {facts.affected:<17}  {fix.title}{off}")
    return 0


def known_dist(dist: str | None) -> str | None:
    """The distribution as given.

    Raises:
        EvalfixesError: There is no fix for it.
    """
    from evalfixes._index import INDEX
    from evalfixes.errors import EvalfixesError

    known = sorted({entry.dist for entry in INDEX.values()})
    if dist is not None and dist not in known:
        raise EvalfixesError(f"no fix is for the distribution {dist!r}; there are some for {', '.join(known)}")
    return dist


def _show(args: argparse.Namespace) -> int:
    data = describe(catalog.get(args.id))
    if args.json:
        print(json.dumps({"schema_version": 1, **data}, indent=1))
        return 0
    print(f"{data['id']} ({data['dist']} {data['affected']})\n{data['title']}\n")
    for head, text in (("Upstream", data["before"]), ("Right", data["after"]), ("Risks", data["risks"])):
        if text:
            print(f"{head + ':':<10}{text}")
    print(f"{'Fixed in:':<10}{data['fixed_in'] or 'no release yet'}")
    for head, values in (("Requires", data["requires"]), ("Replaces", data["replaces"]), ("Links", data["links"])):
        for index, value in enumerate(values):
            print(f"{head + ':' if index == 0 else '':<10}{value}")
    if data["notes"]:
        print(f"{'Notes:':<10}{data['notes']}")
    print("\nScenarios (bare -> fixed):")
    for scenario in data["scenarios"]:
        right = _value(scenario["right"])
        print(
            f"  {scenario['name']:<45} {right if scenario['control'] else _value(scenario['wrong']) + ' -> ' + right}"
        )
    return 0


def _value(outcome: Any) -> str:
    score = outcome.get("score", "?")
    return f"{round(score, 4) if isinstance(score, float) else score} {outcome.get('status', '')}".strip()
