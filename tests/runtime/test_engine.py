"""The engine on a synthetic upstream: every way in, every state, every order."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import pytest

import evalfixes
from evalfixes.errors import OptionError
from evalfixes.fix import Replacement
from evalfixes.runtime.engine import engine
from tests.forked import forked
from tests.runtime.toy import DRIFTED, FAULTY, FIXED, M, Toy, make_fix, right


def metric() -> types.ModuleType:
    return importlib.import_module(M)


def state(fix_id: str = "toy-score") -> str:
    return evalfixes.status(fix_id)[0].state


def test_apply_imports_nothing_and_arms(toy: Toy) -> None:
    report = evalfixes.apply()
    assert "toyeval" not in sys.modules
    assert [row.state for row in report] == ["armed"]
    assert metric().score("London") == 0.0
    assert [row.state for row in report] == ["patched"]
    assert "1 patched" in str(report).splitlines()[0]


def test_apply_after_import_reaches_names_bound_before(toy: Toy) -> None:
    client = importlib.import_module("toyeval.client")
    user = types.ModuleType("toyuser")
    user.anything = metric().score  # type: ignore[attr-defined]
    sys.modules["toyuser"] = user
    assert client.use("London") == 1.0
    evalfixes.apply()
    assert client.use("London") == user.anything("London") == metric().score("London") == 0.0
    evalfixes.revert()
    assert client.score is user.anything is metric().score
    assert client.use("London") == 1.0


def test_modules_imported_later_get_the_replacement(toy: Toy) -> None:
    evalfixes.apply()
    assert importlib.import_module("toyeval.client").use("London") == 0.0


def test_the_loader_is_as_before(toy: Toy) -> None:
    evalfixes.apply()
    module = metric()
    assert module.__spec__ is not None
    assert type(module.__loader__).__name__ == type(module.__spec__.loader).__name__ == "SourceFileLoader"
    assert inspect.getsource(module).startswith('"""The faulty release."""')


def test_reload_is_patched_again(toy: Toy) -> None:
    evalfixes.apply()
    first = metric().score
    importlib.reload(metric())
    assert metric().score is not first
    assert metric().score("London") == 0.0
    assert state() == "patched"
    evalfixes.revert()
    assert metric().score("London") == 1.0


def test_importing_anew_is_patched_again(toy: Toy) -> None:
    evalfixes.apply()
    metric()
    del sys.modules[M], sys.modules["toyeval"]
    assert metric().score("London") == 0.0
    assert state() == "patched"


def test_replacement_looks_like_the_original(toy: Toy) -> None:
    original = metric().score
    evalfixes.apply()
    new = metric().score
    assert (new.__name__, new.__qualname__, new.__module__, new.__doc__) == (
        original.__name__,
        original.__qualname__,
        original.__module__,
        original.__doc__,
    )
    assert new.__wrapped__ is original
    assert new(answer="London", wanted="London") == 1.0
    assert isinstance(new, types.FunctionType)


def _constant(value: float) -> Callable[..., Any]:
    def build(original: Any, module: Any) -> Any:
        def plain(self: Any, answer: str) -> float:
            return value

        def free(answer: str) -> float:
            return value

        async def later(self: Any, answer: str) -> float:
            return value

        def of_class(cls: Any, answer: str) -> float:
            return value

        return {"plain": plain, "static": free, "later": later, "of_class": of_class}[original.__name__]

    return build


def test_methods_of_every_kind(toy: Toy) -> None:
    names = ("plain", "static", "of_class", "later")
    toy.add(make_fix("toy-methods", *[Replacement(f"{M}:Metric.{n}", _constant(0.25)) for n in names]))
    cls = metric().Metric
    before = {name: vars(cls)[name] for name in names}
    evalfixes.apply("toy-methods")
    instance = cls()
    assert instance.plain("x") == cls.static("x") == instance.static("x") == cls.of_class("x") == 0.25
    assert inspect.iscoroutinefunction(cls.later)
    assert type(vars(cls)["static"]) is staticmethod
    evalfixes.revert()
    assert {name: vars(cls)[name] for name in names} == before
    assert all(vars(cls)[name] is before[name] for name in names)


def test_inherited_method_is_added_and_removed(toy: Toy) -> None:
    toy.add(make_fix("toy-child", Replacement(f"{M}:Child.plain", _constant(0.5), inherited=True)))
    child, parent = metric().Child, metric().Metric
    evalfixes.apply("toy-child")
    assert (child().plain("x"), parent().plain("x")) == (0.5, 1.0)
    evalfixes.revert()
    assert "plain" not in vars(child)


def test_async_kind_must_agree(toy: Toy) -> None:
    def build(original: Any, module: Any) -> Any:
        def later(self: Any, answer: str) -> float:
            return 0.0

        return later

    toy.add(make_fix("toy-kind", Replacement(f"{M}:Metric.later", build)))
    with pytest.warns(evalfixes.EvalfixesWarning, match="differ in being async"):
        evalfixes.apply("toy-kind")
        metric()
    assert evalfixes.status("toy-kind")[0].problem


def _halved(original: Callable[..., float], module: Any) -> Callable[..., float]:
    def score(answer: str, wanted: str = "Paris") -> float:
        return original(answer, wanted) / 2

    return score


@pytest.mark.parametrize("first", ["toy-score", "toy-half"])
def test_two_fixes_on_one_target_come_off_in_any_order(toy: Toy, first: str) -> None:
    toy.add(make_fix("toy-half", Replacement(f"{M}:score", _halved)))
    original = metric().score
    evalfixes.apply()
    assert (metric().score("Paris"), metric().score("London")) == (0.5, 0.0)
    evalfixes.revert(first)
    expected = (0.5, 0.5) if first == "toy-score" else (1.0, 0.0)
    assert (metric().score("Paris"), metric().score("London")) == expected
    evalfixes.revert()
    assert metric().score is original


def test_apply_twice_is_once(toy: Toy) -> None:
    evalfixes.apply()
    once = metric().score
    evalfixes.apply()
    evalfixes.apply("toy-score")
    assert metric().score is once


def test_fixed_release_is_left_alone(toy: Toy) -> None:
    toy.release(FIXED)
    evalfixes.apply()
    metric()
    assert state() == "fixed-upstream"
    assert not engine.slots


def test_not_installed(toy: Toy) -> None:
    for path in (toy.site / "toyeval").iterdir():
        path.unlink()
    (toy.site / "toyeval").rmdir()
    assert [row.state for row in evalfixes.apply()] == ["not-installed"]


def test_release_before_the_fault(toy: Toy) -> None:
    toy.release("x = 1\n", version="0.9")
    evalfixes.apply()
    metric()
    assert state() == "not-affected"


def test_symbol_gone_in_a_later_release_is_unknown(toy: Toy) -> None:
    toy.release("x = 1\n", version="3.0")
    with pytest.warns(evalfixes.EvalfixesWarning, match="score is missing"):
        evalfixes.apply()
        metric()
    assert state() == "unknown"


def test_unknown_text_is_left_alone_with_one_warning_at_this_line(toy: Toy) -> None:
    toy.release(DRIFTED, version="2.0")
    evalfixes.apply()
    with pytest.warns(evalfixes.EvalfixesWarning, match="evalfixes doctor --fix toy-score") as caught:
        metric()
        evalfixes.apply()
    assert metric().score("London") == 1.0
    assert len(caught) == 1
    assert (caught[0].filename, caught[0].lineno) == (__file__, metric.__code__.co_firstlineno + 1)
    assert state() == "unknown"


def test_unknown_text_under_strict_raises_before_and_after_import(toy: Toy) -> None:
    toy.release(DRIFTED, version="2.0")
    with pytest.raises(evalfixes.DriftError, match="score reads differently") as raised:
        evalfixes.apply(strict=True)
    assert raised.value.fix_id == "toy-score"
    with pytest.raises(evalfixes.DriftError):
        metric()


def test_text_proven_by_doctor_is_replaced_until_the_file_changes(toy: Toy) -> None:
    toy.release(DRIFTED, version="2.0")

    def prove() -> tuple[str, str]:
        from evalfixes import catalog, probing

        seen = next(iter(probing.probe([catalog.get("toy-score")], forced=True)))
        return seen.bare, seen.applied

    assert forked(prove) == ("faulty", "patched")
    evalfixes.apply()
    assert metric().score("London") == 0.0
    assert "proven" in evalfixes.status("toy-score")[0].evidence
    evalfixes.revert()
    del sys.modules[M]
    toy.release(DRIFTED + "\n# edited\n", version="2.0")
    with pytest.warns(evalfixes.EvalfixesWarning):
        evalfixes.apply()
        metric()
    assert metric().score("London") == 1.0


def test_release_is_told_by_content_not_by_version(toy: Toy) -> None:
    toy.release(FAULTY, version="99.0")
    evalfixes.apply()
    assert metric().score("London") == 0.0


def test_crlf_text_is_the_same_text(toy: Toy) -> None:
    (toy.site / "toyeval" / "metric.py").write_bytes(FAULTY.replace("\n", "\r\n").encode())
    evalfixes.apply()
    assert metric().score("London") == 0.0


def test_required_fix_comes_along_and_its_skip_skips(toy: Toy) -> None:
    toy.add(make_fix("toy-half", Replacement(f"{M}:score", _halved), requires=("toy-score",)))
    evalfixes.apply("toy-half")
    assert list(engine.chosen) == ["toy-score", "toy-half"]
    assert metric().score("London") == 0.0
    evalfixes.revert("toy-score")
    assert not engine.chosen
    with pytest.warns(evalfixes.EvalfixesWarning, match="toy-half is skipped too"):
        evalfixes.apply(skip=["toy-score"])
    assert {row.id: bool(row.skipped) for row in evalfixes.status()} == {"toy-half": True, "toy-score": True}


def test_required_fix_that_does_not_fit_keeps_its_dependant_out(toy: Toy) -> None:
    toy.release(DRIFTED, version="2.0")
    dependant = make_fix("toy-static", Replacement(f"{M}:Metric.static", _constant(0.0)), requires=("toy-score",))
    toy.add(dependant)
    with pytest.warns(evalfixes.EvalfixesWarning):
        evalfixes.apply()
        metric()
    assert metric().Metric.static("x") == 1.0
    assert "toy-score" in evalfixes.status("toy-static")[0].problem


def test_build_that_raises_does_not_break_the_import(toy: Toy) -> None:
    def build(original: Any, module: Any) -> Any:
        raise RuntimeError("boom")

    toy.add(make_fix("toy-boom", Replacement(f"{M}:Metric.plain", right), Replacement(f"{M}:score", build)))
    evalfixes.apply("toy-boom")
    with pytest.warns(evalfixes.EvalfixesWarning, match="boom"):
        metric()
    assert metric().score("London") == 1.0
    assert not any(slot.layers for slot in engine.slots.values()), "half a fix must not stay"
    assert "boom" in evalfixes.status("toy-boom")[0].problem


def test_missing_optional_target(toy: Toy) -> None:
    toy.add(make_fix("toy-optional", Replacement(f"{M}:score", right), Replacement(f"{M}:gone", right, optional=True)))
    evalfixes.apply("toy-optional")
    assert metric().score("London") == 0.0
    assert state("toy-optional") == "patched"


def _foreign(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def test_foreign_wrapper_on_top_is_left_and_reported(toy: Toy) -> None:
    evalfixes.apply()
    module = metric()
    ours = module.score
    module.score = _foreign(ours)  # type: ignore[attr-defined]
    row = evalfixes.status("toy-score")[0]
    assert row.state == "patched"
    assert "called through" in row.evidence
    assert evalfixes.revert() == [f"{M}:score"]
    assert module.score.__wrapped__ is ours
    module.score = ours  # type: ignore[attr-defined]
    assert evalfixes.revert() == []
    assert module.score("London") == 1.0


def test_later_patch_that_undoes_ours_shows(toy: Toy) -> None:
    evalfixes.apply()
    metric().score = lambda answer, wanted="": 1.0  # type: ignore[attr-defined]
    row = evalfixes.status("toy-score")[0]
    assert row.state == "faulty"
    assert "replaced after evalfixes" in row.problem


def test_foreign_wrapper_before_us_is_wrapped(toy: Toy) -> None:
    theirs = _foreign(metric().score)
    metric().score = theirs  # type: ignore[attr-defined]
    evalfixes.apply()
    assert metric().score("London") == 0.0
    evalfixes.revert()
    assert metric().score is theirs


def test_replacement_that_does_not_call_on_is_not_put_over_a_foreign_one(toy: Toy) -> None:
    toy.add(make_fix("toy-own", Replacement(f"{M}:score", right, calls_original=False)))
    theirs = _foreign(metric().score)
    metric().score = theirs  # type: ignore[attr-defined]
    with pytest.warns(evalfixes.EvalfixesWarning, match="already replaced by"):
        evalfixes.apply("toy-own")
    assert metric().score is theirs


def test_module_that_slipped_past_the_hook_is_seen(toy: Toy) -> None:
    evalfixes.apply()
    finders = list(sys.meta_path)
    sys.meta_path.remove(engine._finder)  # type: ignore[arg-type]
    metric()
    sys.meta_path[:] = finders
    assert "past the hook" in evalfixes.status("toy-score")[0].problem
    evalfixes.apply()
    assert state() == "patched"


def test_apply_while_the_module_is_half_imported(toy: Toy) -> None:
    toy.release("import evalfixes\nevalfixes.apply()\n" + FAULTY)
    assert metric().score("London") == 1.0 or state() == "patched"
    assert state() == "patched"
    assert metric().score("London") == 0.0


def test_circular_import_gets_the_replacement(toy: Toy) -> None:
    toy.release(FAULTY + "\n\nfrom toyeval import client\n")
    evalfixes.apply()
    metric()
    assert sys.modules["toyeval.client"].use("London") == 0.0  # type: ignore[attr-defined]
    evalfixes.revert()
    assert sys.modules["toyeval.client"].use("London") == 1.0  # type: ignore[attr-defined]


def test_eight_threads(toy: Toy) -> None:
    start, values = threading.Barrier(8), []

    def work(number: int) -> None:
        start.wait()
        if number % 2:
            evalfixes.apply()
        values.append(importlib.import_module(M).score)
        evalfixes.apply()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not any(thread.is_alive() for thread in threads)
    assert metric().score("London") == 0.0
    assert len(engine.slots[f"{M}:score"].layers) == 1


def test_fork_while_another_thread_holds_the_lock(toy: Toy) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with engine.lock:
            held.set()
            done.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()

    def child() -> float:
        evalfixes.apply()
        return float(importlib.import_module(M).score("London"))

    try:
        assert forked(child, seconds=20) == 0.0
    finally:
        done.set()
        thread.join()


def test_applied_restores_what_was_before(toy: Toy) -> None:
    toy.add(make_fix("toy-half", Replacement(f"{M}:score", _halved)))
    evalfixes.apply("toy-score")
    with evalfixes.applied("toy-half"):
        assert metric().score("Paris") == 0.5
    assert metric().score("Paris") == 1.0
    assert metric().score("London") == 0.0
    with pytest.raises(KeyError), evalfixes.applied():
        raise KeyError
    assert list(engine.chosen) == ["toy-score"]


@pytest.mark.parametrize("value", ["1", "true", "yes"])
def test_disable(toy: Toy, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("EVALFIXES_DISABLE", value)
    evalfixes.apply()
    assert metric().score("London") == 1.0
    assert "EVALFIXES_DISABLE" in evalfixes.status("toy-score")[0].skipped
    assert "1 skipped" in str(evalfixes.apply())


def test_skip_by_environment(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALFIXES_SKIP", " toy-score ,")
    evalfixes.apply()
    assert metric().score("London") == 1.0
    assert "EVALFIXES_SKIP" in evalfixes.status("toy-score")[0].skipped


def test_fix_that_is_off_by_default(toy: Toy) -> None:
    toy.add(make_fix("toy-extra", Replacement(f"{M}:score", _halved), default=False))
    evalfixes.apply()
    assert list(engine.chosen) == ["toy-score"]
    evalfixes.apply("toy-extra")
    assert list(engine.chosen) == ["toy-score", "toy-extra"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evalfixes.apply("toy-scor"), "did you mean toy-score"),
        (lambda: evalfixes.apply(skip=["nothing-like-it"]), "nothing-like-it"),
        (lambda: evalfixes.revert("toy-scroe"), "toy-score"),
        (lambda: evalfixes.status("toy"), "unknown fix 'toy'"),
    ],
)
def test_unknown_ids(toy: Toy, call: Callable[[], Any], message: str) -> None:
    with pytest.raises(evalfixes.UnknownFixError, match=message):
        call()
    assert not engine.chosen


@pytest.mark.parametrize(
    "options",
    [
        {"rejudge": -1},
        {"rejudge": True},
        {"incomplete": "guess"},
        {"skip": "toy-score"},
        {"allow_unscored": [{"metric": "safety_v1", "reason": "no credentials"}]},
    ],
)
def test_bad_options_change_nothing(toy: Toy, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"evalfixes\.apply"):
        evalfixes.apply(**options)
    assert not engine.chosen


def test_finder_leaves_when_all_is_reverted(toy: Toy) -> None:
    evalfixes.apply()
    assert engine._finder in sys.meta_path
    evalfixes.revert()
    assert engine._finder not in sys.meta_path


def test_read_only_cache_is_no_obstacle(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALFIXES_CACHE_DIR", os.devnull)
    toy.release(DRIFTED, version="2.0")
    with pytest.warns(evalfixes.EvalfixesWarning):
        evalfixes.apply()
        metric()
    assert state() == "unknown"
