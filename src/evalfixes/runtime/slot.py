"""One place in an upstream module where a function hangs, and the layers we put on it."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from evalfixes.fix import Replacement

_MISSING = object()
_FLAG_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class CannotReplaceError(Exception):
    """Why a target cannot be replaced here."""


class Slot:
    """A function or method of one live module, replaced by one or more fixes.

    Several fixes may replace the same target. Their layers are folded over the original in the
    order in which they came (what is required comes first, so it is innermost); taking one away
    folds the others anew, so fixes can be reverted in any order.

    Attributes:
        target: ``module:qualname``.
        module: The live module.
        layers: The replacement of each fix, by fix id, innermost first.
        aliases: Other modules' names bound to the same function: ``(namespace, name)``.

    Raises:
        CannotReplaceError: The target does not exist or is no function.
    """

    def __init__(self, module: ModuleType, target: str, inherited: bool) -> None:
        self.target = target
        self.module = module
        owner: Any = module
        *path, self.attribute = target.partition(":")[2].split(".")
        for name in path:
            owner = vars(owner).get(name, _MISSING)
            if owner is _MISSING:
                raise CannotReplaceError(f"{target} does not exist")
        self.owner = owner
        self.inherited = inherited and self.attribute not in vars(owner)
        self._raw = getattr(owner, self.attribute, _MISSING) if self.inherited else self._bound()
        if self._raw is _MISSING:
            raise CannotReplaceError(f"{target} does not exist")
        self.original: Callable[..., Any] = _function(self._raw)
        if not callable(self.original):
            raise CannotReplaceError(f"{target} is no function but {type(self.original).__name__}")
        self.layers: dict[str, Replacement] = {}
        self.aliases: list[tuple[dict[str, Any], str]] = []
        self._installed: Any = self._raw

    def _bound(self) -> Any:
        return vars(self.owner).get(self.attribute, _MISSING)

    @property
    def current(self) -> Any:
        """The function that callers get from the slot's own place right now."""
        bound = self._bound()
        return getattr(self.owner, self.attribute, None) if bound is _MISSING else _function(bound)

    @property
    def installed(self) -> Callable[..., Any]:
        """The function that we put there last; the original while there is no layer."""
        function: Callable[..., Any] = _function(self._installed)
        return function

    def foreign_before_us(self, root: str) -> str:
        """Who replaced the original before we saw it; empty if nobody did."""
        code = getattr(self.original, "__code__", None)
        if code is None or code.co_filename.startswith(root):
            return ""
        return describe(self.original)

    def add(self, fix_id: str, replacement: Replacement) -> tuple[Any, Any]:
        """Puts a fix's replacement on top; see `_fold` for what is returned and raised."""
        self.layers[fix_id] = replacement
        try:
            return self._fold()
        except Exception:
            del self.layers[fix_id]
            raise

    def remove(self, fix_id: str) -> bool:
        """Takes a fix's replacement away; False if the place is no longer ours to change."""
        if fix_id not in self.layers:
            return True
        if not self.intact:
            return False
        del self.layers[fix_id]
        old, new = self._fold()
        for namespace, name in self.aliases:
            if namespace.get(name) is old:
                namespace[name] = new
        return True

    def _fold(self) -> tuple[Any, Any]:
        """Builds all layers over the original and binds the outermost.

        Returns:
            The function bound before and the one bound now, for rebinding aliases.

        Raises:
            CannotReplaceError: A build gave something else than a function of the original's async kind.
        """
        function = self.original
        for fix_id, replacement in self.layers.items():
            function = dress(replacement.build(function, self.module), function, fix_id, self.target)
        old = self.installed
        if not self.layers:
            if self.inherited:
                if self._bound() is not _MISSING:
                    delattr(self.owner, self.attribute)
            else:
                setattr(self.owner, self.attribute, self._raw)
            self._installed = self._raw
        else:
            raw: Any = function
            if isinstance(self._raw, (staticmethod, classmethod)):
                raw = type(self._raw)(function)
            setattr(self.owner, self.attribute, raw)
            self._installed = raw
        return old, self.installed

    @property
    def intact(self) -> bool:
        """Whether what we put there is what is bound there now."""
        bound = self._bound()
        if bound is _MISSING:
            return self.inherited and not self.layers
        return bound is self._installed

    @property
    def reaches(self) -> bool:
        """Whether a call still comes to us: bound itself, or wrapped by somebody who says so."""
        function, seen = self.current, 0
        while function is not None and seen < 50:
            if function is self.installed:
                return True
            function, seen = getattr(function, "__wrapped__", None), seen + 1
        return False


def _function(raw: Any) -> Any:
    return raw.__func__ if isinstance(raw, (staticmethod, classmethod)) else raw


def dress(function: Any, original: Callable[..., Any], fix_id: str, target: str) -> Callable[..., Any]:
    """Gives a replacement its original's name, docstring and signature, and says whose it is.

    Raises:
        CannotReplaceError: It is no plain function, or of another async kind than the original.
    """
    if not isinstance(function, FunctionType):
        raise CannotReplaceError(f"{fix_id}: the replacement of {target} is no plain function")
    code = getattr(inspect.unwrap(original), "__code__", None)
    if code is not None and (code.co_flags ^ function.__code__.co_flags) & _FLAG_ASYNC:
        raise CannotReplaceError(f"{fix_id}: {target} and its replacement differ in being async")
    functools.update_wrapper(function, original)
    function.__evalfixes__ = fix_id  # type: ignore[attr-defined]
    return function


def package_root(module: ModuleType) -> str:
    """The folder of the outermost regular package that holds the module, with a separator."""
    root = Path(module.__file__ or "").parent
    while (root.parent / "__init__.py").is_file():
        root = root.parent
    return f"{root}{os.sep}"


def describe(function: Any) -> str:
    """A function's name and where it is from, for people."""
    code = getattr(function, "__code__", None)
    name = getattr(function, "__qualname__", None) or type(function).__name__
    where = f"{code.co_filename}:{code.co_firstlineno}" if code else getattr(function, "__module__", "?")
    return f"{name} ({where})"
