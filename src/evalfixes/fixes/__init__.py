"""The fixes: one module each, below a package per distribution.

Importing a submodule binds the name `evalfixes.fixes` to this package, which is also the name of the
public function that lists the fixes. So the package can be called like that function.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalfixes.fix import Fix


class _CallablePackage(ModuleType):
    def __call__(self, dist: str | None = None) -> tuple[Fix, ...]:
        """See `evalfixes.catalog.fixes`."""
        from evalfixes.catalog import fixes

        return fixes(dist)


sys.modules[__name__].__class__ = _CallablePackage
