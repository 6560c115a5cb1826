# Found first on PYTHONPATH by every Python that `evalfixes run` starts. It leaves no trace of itself: its
# folder leaves sys.path, and the `sitecustomize` that would have been found without it is imported in its
# place (or the ImportError that says there is none goes on to `site`, which expects it).
# Any Python may come by here, with or without evalfixes, so the syntax is that of all of them.
# mypy: ignore-errors
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _here]
sys.path_importer_cache.pop(_here, None)
_ours = sys.modules.pop("sitecustomize", None)


def _begin():
    mode = os.environ.get("EVALFIXES_RUN", "")
    if mode == "only":
        _withdraw()
    elif mode == "first":
        os.environ["EVALFIXES_RUN"] = "children"
    try:
        from evalfixes._startup import begin
    except Exception as error:
        _unfixed(mode, error)
    else:
        problem = begin("" if mode == "only" else _here)
        if problem:
            _stop(mode, problem)


def _withdraw():
    # The children of this process are to start as they would have without us.
    os.environ.pop("EVALFIXES_RUN", None)
    left = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry != _here]
    if left:
        os.environ["PYTHONPATH"] = os.pathsep.join(left)
    else:
        os.environ.pop("PYTHONPATH", None)


def _unfixed(mode, error):
    if getattr(sys.modules.get("evalfixes"), "__file__", None):  # a mere folder of that name has none
        _stop(mode, "evalfixes cannot be imported by %s: %s" % (sys.executable, error))
    upstreams = {"google-adk": os.path.join("google", "adk"), "deepeval": "deepeval", "agentevals": "agentevals"}
    found = [
        name
        for name, folder in sorted(upstreams.items())
        if any(os.path.isdir(os.path.join(entry, folder)) for entry in sys.path)
    ]
    if found:  # without an upstream there is nothing to repair: make, tox and other helpers just go on
        _stop(mode, "%s has %s, but no evalfixes to repair it; install evalfixes there" % (sys.executable, found[0]))


def _stop(mode, reason):
    # The command itself must not run unfixed; a child in an environment of its own is none of our business.
    stops = mode in ("first", "only")
    sys.stderr.write("evalfixes run: %s%s\n" % (reason, " (nothing was run)" if stops else ""))
    sys.stderr.flush()
    if stops:
        os._exit(3)


_begin()
if os.environ.get("EVALFIXES_RUN") != "ask":
    import sitecustomize  # noqa: F401
