"""`evalfixes run`: the command is repaired, and nothing else about it changes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evalfixes.cli.run import python_flags
from tests.ways.environment import SHOW, Site

pytestmark = pytest.mark.skipif(os.name == "nt", reason="exec and signals as POSIX has them")
RUN = ("evalfixes", "run", "--")


def test_repairs_python_and_console_scripts(site: Site) -> None:
    site.script("toy", SHOW)
    assert site.shows("toy") == 1.0
    for command in (("python", "-c", SHOW), ("toy",), (str(site.bin / "toy"),), (site.python, str(site.bin / "toy"))):
        assert site.shows(*RUN, *command) == 0.0, command
    assert site.shows("evalfixes", "run", "toy") == 0.0, "`--` may be left out"
    assert site.shows(site.python, "-m", "evalfixes", "run", "--", "toy") == 0.0


@pytest.mark.parametrize("code", [0, 1, 2, 3, 77, 126, 127, 255])
def test_exit_code_is_the_commands(site: Site, code: int) -> None:
    assert site.run(*RUN, "python", "-c", f"raise SystemExit({code})").code == code
    assert site.run(*RUN, "sh", "-c", f"exit {code}").code == code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGABRT])
def test_death_by_signal_is_the_commands(site: Site, number: int) -> None:
    assert site.run(*RUN, "python", "-c", f"import os; os.kill(os.getpid(), {int(number)})").code == -number


def test_signals_reach_the_command_itself(site: Site) -> None:
    code = (
        "import os, signal, sys, time\n"
        "def stop(*_):\n    print('stopped'); sys.exit(5)\n"
        "signal.signal(signal.SIGTERM, stop)\n"
        "print(os.getpid(), flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen([*RUN, "python", "-c", code], env=site.environ(), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert int(process.stdout.readline()) == process.pid, "the command replaces the launcher"
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=30)[0] == "stopped\n"
    assert process.returncode == 5


def test_keyboard_interrupt(site: Site) -> None:
    code = "import time\nprint('up', flush=True)\ntime.sleep(60)"
    command = [*RUN, "python", "-c", code]
    process = subprocess.Popen(
        command, env=site.environ(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        # A test run that was started in the background of a shell ignores it, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert "evalfixes" not in err


def test_dispositions_of_signals(site: Site) -> None:
    """Python ignores SIGPIPE in itself; a command must not inherit that, nor lose what was ignored before."""
    show = "grep SigIgn /proc/self/status"
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc")
    assert site.run(*RUN, "sh", "-c", show).out == site.run("sh", "-c", show).out
    ignored = f"trap '' HUP; {show}; {' '.join(RUN)} {show}"
    first, second = site.run("sh", "-c", ignored).out.splitlines()
    assert first == second


def test_arguments_and_streams(site: Site) -> None:
    code = "import sys; sys.stdout.write(repr(sys.argv[1:]) + sys.stdin.read()); sys.stderr.write('err')"
    arguments = ["", " ", "--", "-h", "--no-children", "a b", "ü\n", "$HOME", "'", '"', "*", "--help"]
    done = site.run(*RUN, "python", "-c", code, *arguments, stdin="in\nput")
    assert (done.code, done.out, done.err) == (0, f"{arguments!r}in\nput", "err")
    raw = subprocess.run(
        [
            *RUN,
            "python",
            "-c",
            "import os, sys; os.write(1, os.fsencode(sys.argv[1]) + sys.stdin.buffer.read())",
            b"\xff",
        ],
        input=b"\x00\xfe",
        env=site.environ(),
        capture_output=True,
        check=True,
    )
    assert raw.stdout == b"\xff\x00\xfe"


def test_argv0_and_cwd_and_terminal_less_stdin(site: Site, tmp_path: Path) -> None:
    site.script("show0", "import os, sys; print(sys.argv[0], os.getcwd())")
    assert site.run(*RUN, "show0", cwd=tmp_path).out == site.run("show0", cwd=tmp_path).out
    assert site.run(*RUN, "sh", "-c", "echo $0", "zero").out == "zero\n"
    link = tmp_path / "linked"
    link.symlink_to(site.script("toy", SHOW))
    assert site.run(*RUN, "./linked", cwd=tmp_path).out == "0.0\n"


def test_file_descriptors_are_passed_on(site: Site) -> None:
    done = site.run("sh", "-c", f"{' '.join(RUN)} sh -c 'echo x >&5' 5>&1")
    assert done.out == "x\n"


def test_the_program_sees_no_trace(site: Site) -> None:
    code = (
        "import json, sys; print(json.dumps([sys.path, sys.flags.__repr__(), "
        "'sitecustomize' in sys.modules, sys.warnoptions]))"
    )
    bare = json.loads(site.run("python", "-c", code).out)
    assert json.loads(site.run(*RUN, "python", "-c", code).out) == bare
    loaded = "import sys; print([m for m in sys.modules if m.partition('.')[0] in ('google', 'toyeval', 'typing')])"
    assert site.run(*RUN, "python", "-c", loaded).out == site.run("python", "-c", loaded).out


@pytest.mark.parametrize(
    "value, expected", [(None, None), ("{tmp}/a", "{tmp}/a"), ("{tmp}/a::{tmp}/b", "{tmp}/a::{tmp}/b")]
)
def test_pythonpath_is_kept(site: Site, tmp_path: Path, value: str | None, expected: str | None) -> None:
    code = "import sys; print(sys.path)"
    more = {} if value is None else {"PYTHONPATH": value.format(tmp=tmp_path)}
    assert site.run(*RUN, "python", "-c", code, **more).out == site.run("python", "-c", code, **more).out
    show = "import os; print(os.environ.get('PYTHONPATH'), os.environ.get('EVALFIXES_RUN'))"
    done = site.run("evalfixes", "run", "--no-children", "--", "python", "-c", show, **more)
    assert done.out == f"{expected if expected is None else expected.format(tmp=tmp_path)} None\n"


@pytest.mark.parametrize(
    "starts",
    [
        "subprocess.run([sys.executable, '-c', SHOW])",
        "subprocess.run(['sh', '-c', 'exec python -c \"' + SHOW + '\"'])",
        "os.system('python -c \"' + SHOW + '\"')",
        "os.execl(sys.executable, sys.executable, '-c', SHOW)",
        "os.execve(sys.executable, [sys.executable, '-c', SHOW], dict(os.environ))",
    ],
)
def test_children_are_repaired_unless_told_otherwise(site: Site, starts: str) -> None:
    code = f"import os, subprocess, sys; SHOW = {SHOW!r}; {starts}"
    assert site.shows(*RUN, "python", "-c", code) == 0.0
    assert site.shows("evalfixes", "run", "--no-children", "python", "-c", code) == 1.0
    assert site.shows("evalfixes", "run", "--no-children", "python", "-c", SHOW) == 0.0


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(site: Site, method: str, tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(
        "import multiprocessing, sys\n"
        "def work(answer):\n    from toyeval.metric import score\n    return score(answer)\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context('{method}').Pool(1) as pool:\n"
        "        print(pool.map(work, ['London'])[0])\n"
    )
    assert site.shows("python", str(tmp_path / "work.py")) == 1.0
    assert site.shows(*RUN, "python", str(tmp_path / "work.py")) == 0.0


def test_programs_that_are_no_python(site: Site) -> None:
    site.script("wrapper", 'exec python -c "$1"\n', "#!/bin/sh")
    assert site.shows(*RUN, "wrapper", SHOW) == 0.0
    assert site.shows(*RUN, "env", "X=1", "python", "-c", SHOW) == 0.0
    done = site.run("evalfixes", "run", "--no-children", "--", "wrapper", SHOW)
    assert done.code == 3
    assert "no Python program" in done.err


@pytest.mark.parametrize(
    "first_line",
    ["#!/usr/bin/env python", "#!/usr/bin/env -S python -u", "#! {python}", "#!{python} -u", "#!{python} -B -u"],
)
def test_first_lines(site: Site, first_line: str) -> None:
    if first_line.count(" -") > 1 and "env" not in first_line:
        pytest.skip("the system passes one option only")
    site.script("toy", SHOW, first_line.format(python=site.python))
    assert site.shows(*RUN, "toy") == 0.0


def test_script_of_an_installer_with_a_long_path(site: Site) -> None:
    site.script("toy", f"'''exec' {site.python} \"$0\" \"$@\"\n' '''\n{SHOW}\n", "#!/bin/sh")
    assert site.shows("toy") == 1.0
    assert site.shows(*RUN, "toy") == 0.0
    assert site.shows("evalfixes", "run", "--no-children", "--", "toy") == 0.0


def test_refuses_an_interpreter_without_evalfixes(site: Site, bare: Site) -> None:
    script = bare.script("elsewhere", SHOW)
    installers = bare.script("long", f"'''exec' \"{bare.python}\" \"$0\" \"$@\"\n' '''\n{SHOW}\n", "#!/bin/sh")
    for command in ((bare.python, "-c", SHOW), (str(script),), (str(installers),)):
        done = site.run(*RUN, *command)
        assert done.code == 3
        assert done.out == ""
        assert "has no evalfixes" in done.err
        assert bare.python in done.err
        assert len(done.err.splitlines()) == 1


def test_takes_another_interpreter_that_has_evalfixes(site: Site, bare: Site, tmp_path: Path) -> None:
    other = Site(tmp_path / "other")
    assert site.shows(*RUN, other.python, "-c", SHOW) == 0.0
    assert bare.run(str(site.bin / "evalfixes"), "run", "--", site.python, "-c", SHOW).out == "0.0\n"


def test_a_launcher_into_an_environment_without_evalfixes(site: Site, bare: Site) -> None:
    """What a shim or `uv run` starts is not known before, so it is stopped when it starts."""
    (bare.packages / "deepeval").mkdir(exist_ok=True)
    try:
        site.script("shim", f'exec {bare.python} -c "$1"\n', "#!/bin/sh")
        done = site.run(*RUN, "shim", "print(1)")
        assert (done.code, done.out) == (3, "")
        assert "deepeval" in done.err
        assert "no evalfixes" in done.err
        code = f"import subprocess; print(subprocess.run([{bare.python!r}, '-c', 'print(1)']).returncode)"
        child = site.run(*RUN, "python", "-c", code)
        assert child.out == "1\n0\n", "a child of a repaired program goes on"
        assert "no evalfixes" in child.err
    finally:
        (bare.packages / "deepeval").rmdir()
    done = site.run(*RUN, "shim", "print(1)")
    assert (done.code, done.out, done.err) == (0, "1\n", ""), "without an upstream there is nothing to repair"


@pytest.mark.parametrize(
    "flags", [["-I"], ["-E"], ["-S"], ["-Iu"], ["-u", "-E"], ["-W", "error", "-E"], ["-Werror", "-I"]]
)
def test_refuses_options_that_keep_it_out(site: Site, flags: list[str]) -> None:
    done = site.run(*RUN, "python", *flags, "-c", SHOW)
    assert done.code == 3
    assert done.out == ""
    assert flags[-1].replace("u", "") in done.err
    site.script("toy", SHOW, f"#!{site.python} -E")
    assert site.run(*RUN, "toy").code == 3


def test_such_options_are_fine_where_evalfixes_is_activated(site: Site) -> None:
    assert site.run("evalfixes", "activate").code == 0
    assert site.shows(*RUN, "python", "-I", "-c", SHOW) == 0.0


@pytest.mark.parametrize("flags", [["-s"], ["-P"], ["-u", "-B"], ["-X", "dev"], ["-Wignore"], ["-OO"], ["-b"]])
def test_other_options_are_fine(site: Site, flags: list[str]) -> None:
    if flags == ["-P"] and sys.version_info < (3, 11):
        pytest.skip("no -P")
    assert site.shows(*RUN, "python", *flags, "-c", SHOW) == 0.0


def test_python_that_only_answers_a_question(site: Site) -> None:
    assert site.run(*RUN, "python", "--version").out == site.run("python", "--version").out


def test_code_on_standard_input(site: Site) -> None:
    assert site.run(*RUN, "python", stdin=SHOW).out == "0.0\n"
    assert site.run(*RUN, "python", "-", stdin=SHOW).out == "0.0\n"


@pytest.mark.parametrize(
    "command, reason",
    [
        (["no-such-command"], "not found"),
        (["./no-such-command"], "not found"),
        ([""], "not found"),
        (["{tmp}"], "folder"),
        (["{tmp}/plain"], "not executable"),
        (["{tmp}/lost"], "interpreter"),
        (["{tmp}/lostpython"], "No such file"),
        (["{tmp}/noshebang"], "format"),
    ],
)
def test_what_cannot_be_started_gives_127(site: Site, tmp_path: Path, command: list[str], reason: str) -> None:
    for name, text, mode in (
        ("plain", "x", 0o644),
        ("lost", "#!/no/such/interpreter\n", 0o755),
        ("lostpython", "#!/no/such/python\n", 0o755),
        ("noshebang", "\x00\x01", 0o755),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    done = site.run(*RUN, *[word.format(tmp=tmp_path) for word in command])
    assert done.code == 127
    assert reason in done.err
    assert done.err.startswith("evalfixes run: cannot start ")
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments", [[], ["--"], ["--no-children"], ["--nonsense", "--", "true"], ["-x"], ["--no-children=1", "true"]]
)
def test_usage_errors_give_3(site: Site, arguments: list[str]) -> None:
    done = site.run("evalfixes", "run", *arguments)
    assert done.code == 3
    assert done.err.startswith("usage: evalfixes run ")


def test_help(site: Site) -> None:
    done = site.run("evalfixes", "run", "--help")
    assert done.code == 0
    assert "--no-children" in done.out
    assert "run " in site.run("evalfixes", "--help").out


def test_wrong_settings_are_told_before_the_command_starts(site: Site) -> None:
    done = site.run(*RUN, "python", "-c", "print(1)", EVALFIXES_SKIP="toy-scor")
    assert (done.code, done.out) == (3, "")
    assert "did you mean toy-score?" in done.err


def test_off_switches(site: Site) -> None:
    assert site.shows(*RUN, "python", "-c", SHOW, EVALFIXES_SKIP="toy-score") == 1.0
    assert site.shows(*RUN, "python", "-c", SHOW, EVALFIXES_DISABLE="1") == 1.0


def test_nested(site: Site) -> None:
    assert site.shows(*RUN, *RUN, "evalfixes", "run", "python", "-c", SHOW) == 0.0
    done = site.run(*RUN, *RUN, "python", "-c", "import os; print(os.environ['PYTHONPATH'].count('_boot'))")
    assert done.out == "1\n"


def _customize(folder: Path, text: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(text)
    return str(folder)


def test_sitecustomize_that_is_there_is_run_once(site: Site, tmp_path: Path) -> None:
    mine = _customize(tmp_path / "mine", "import sys\nprint('mine', __name__, __file__, flush=True)\nsys.mark = 1\n")
    code = "import sys, sitecustomize; print(sys.mark, sitecustomize.__file__); " + SHOW
    bare = site.run("python", "-c", code, PYTHONPATH=mine)
    seen = site.run(*RUN, "python", "-c", code, PYTHONPATH=mine)
    assert seen.err == bare.err == ""
    # `evalfixes` itself is a Python program and runs it first; what follows is the command's own.
    assert seen.out.splitlines()[1:-1] == bare.out.splitlines()[:-1]
    assert seen.out.splitlines()[-1] == "0.0"
    (site.packages / "sitecustomize.py").write_text("import sys\nsys.mark = 2\n")
    assert site.run(*RUN, "python", "-c", "import sys; print(sys.mark)").out == "2\n"


def test_sitecustomize_that_chains_itself(site: Site, tmp_path: Path) -> None:
    """As ddtrace's does: it steps aside and imports the next one."""
    last = _customize(tmp_path / "last", "import sys\nsys.mark = getattr(sys, 'mark', '') + 'last'\n")
    chaining = _customize(
        tmp_path / "chaining",
        "import os, sys\nsys.mark = 'chaining '\nhere = os.path.dirname(__file__)\n"
        "sys.path.remove(here)\nours = sys.modules.pop('sitecustomize')\n"
        "try:\n    import sitecustomize\nexcept ImportError:\n    sys.modules['sitecustomize'] = ours\n",
    )
    code = f"import sys; print(sys.mark); {SHOW}"
    both = os.pathsep.join([chaining, last])
    assert site.run(*RUN, "python", "-c", code, PYTHONPATH=both).out == "chaining last\n0.0\n"
    assert site.run(*RUN, "python", "-c", code, PYTHONPATH=chaining).out == "chaining \n0.0\n"
    # theirs in front: put there by a launcher that evalfixes runs
    launcher = (
        f"import os; os.environ['PYTHONPATH'] = {both!r} + ':' + os.environ['PYTHONPATH']; "
        f"os.execlp('python', 'python', '-c', {code!r})"
    )
    assert site.run(*RUN, "python", "-c", launcher).out == "chaining last\n0.0\n"


def test_sitecustomize_that_does_not_chain_is_not_let_in_front(site: Site, tmp_path: Path) -> None:
    """As opentelemetry's: a launcher puts it in front and executes the program."""
    selfish = _customize(tmp_path / "selfish", "import sys\nsys.mark = 'selfish'\n")
    code = f"import sys; print(sys.mark); {SHOW}"
    for call in (
        f"os.execl(sys.executable, sys.executable, '-c', {code!r})",
        f"os.execve(sys.executable, [sys.executable, '-c', {code!r}], dict(os.environ))",
        f"os.execvp('python', ['python', '-c', {code!r}])",
    ):
        launcher = f"import os, sys; os.environ['PYTHONPATH'] = {selfish!r} + ':' + os.environ['PYTHONPATH']; {call}"
        assert site.run(*RUN, "python", "-c", launcher).out == "selfish\n0.0\n", call


@pytest.mark.parametrize(
    "fault", ["raise RuntimeError('boom')", "import no_such_module", "raise SystemExit(9)", "def ("]
)
def test_sitecustomize_that_fails_fails_as_before(site: Site, tmp_path: Path, fault: str) -> None:
    broken = _customize(tmp_path / "broken", f"{fault}\n")
    # Only the command sees it; the launcher would be stopped by the SystemExit as well.
    launcher = f"import os; os.environ['PYTHONPATH'] += ':' + {broken!r}; os.execlp('python', 'python', '-c', {SHOW!r})"
    bare = site.run("python", "-c", SHOW, PYTHONPATH=broken)
    seen = site.run(*RUN, "python", "-c", launcher)
    assert seen.code == bare.code
    assert seen.err.replace("  ", "").splitlines()[-1:] == bare.err.replace("  ", "").splitlines()[-1:]
    assert seen.out == bare.out.replace("1.0", "0.0")


def test_read_only_installation(site: Site, tmp_path: Path) -> None:
    if os.geteuid() == 0 and not Path("/proc/self/status").exists():
        pytest.skip("root writes everywhere")
    other = Site(tmp_path / "other")
    for path in [other.packages, *other.packages.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)
    try:
        assert other.shows(*RUN, "python", "-c", SHOW) == 0.0
    finally:
        for path in [other.packages, *other.packages.rglob("*")]:
            path.chmod(path.stat().st_mode | 0o700)


def test_evalfixes_that_is_broken_in_the_command(site: Site, tmp_path: Path) -> None:
    """Another copy in front, half of it missing: the command does not run unfixed."""
    (tmp_path / "evalfixes").mkdir()
    (tmp_path / "evalfixes" / "__init__.py").write_text("")
    launcher = (
        f"import os; os.environ['PYTHONPATH'] += ':' + {str(tmp_path)!r}; os.environ['EVALFIXES_RUN'] = 'first'; "
        f"os.execlp('python', 'python', '-c', {SHOW!r})"
    )
    done = site.run(*RUN, "python", "-c", launcher)
    assert (done.code, done.out) == (3, "")
    assert "evalfixes cannot be imported" in done.err


def test_it_is_quick_to_give_up_when_the_command_is_stopped_at_once(site: Site) -> None:
    process = subprocess.Popen([*RUN, "sleep", "60"], env=site.environ())
    time.sleep(0.5)
    process.terminate()
    assert process.wait(timeout=10) == -signal.SIGTERM


@pytest.mark.parametrize(
    "options, flags",
    [
        ([], []),
        (["-c", "-I"], []),
        (["-m", "mod", "-E"], []),
        (["script.py", "-I"], []),
        (["-", "-I"], []),
        (["-uIB", "x"], ["-I"]),
        (["-Ic", "pass"], ["-I"]),
        (["-cI"], []),
        (["-W", "-I", "-E"], ["-E"]),
        (["-Wd", "-E"], ["-E"]),
        (["-X", "importtime", "-S"], ["-S"]),
        (["--check-hash-based-pycs", "never", "-s"], ["-s"]),
        (["--version"], []),
        (["-uX", "dev", "-E"], ["-E"]),
    ],
)
def test_python_flags(options: list[str], flags: list[str]) -> None:
    assert python_flags(options) == flags
