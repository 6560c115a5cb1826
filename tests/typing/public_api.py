"""Read by mypy and pyright, never run: the public API as a user's type checker sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import evalfixes

if TYPE_CHECKING:
    from evalfixes.fix import Fix

fixes: tuple[Fix, ...] = evalfixes.fixes()
some: tuple[Fix, ...] = evalfixes.fixes("google-adk")
first: str = fixes[0].id

evalfixes.apply()
evalfixes.apply("adk-response-match-thoughts", skip=["deepeval-verbose-verdicts"], strict=True)
evalfixes.apply(rejudge=0, incomplete="worst")
evalfixes.apply(strict=None, allow_unscored=[{"metric": "m", "reason": "r", "until": "2027-03-31"}])
evalfixes.apply(deepeval_errors="record")
report: str = str(evalfixes.apply())
evalfixes.revert()
evalfixes.status()
with evalfixes.applied():
    pass

version: str = evalfixes.__version__
error: type[Exception] = evalfixes.EvalfixesError
unknown: type[LookupError] = evalfixes.UnknownFixError
drift: type[evalfixes.EvalfixesError] = evalfixes.DriftError
warning: type[UserWarning] = evalfixes.EvalfixesWarning

evalfixes.apply(strict="yes")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
nothing = evalfixes.nothing  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
