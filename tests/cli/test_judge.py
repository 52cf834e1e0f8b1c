"""The command line: files of requests are judged as the API judges them, in order and once, whatever interrupts."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Never

import pytest
from flask.testing import FlaskClient

from service.cli.bulk import read_lines
from service.cli.judge import DONE, FAULTY, INTERRUPTED, UNUSABLE
from service.cli.main import NOT_STARTED, main
from service.limits import MAX_BODY_BYTES
from service.startup.settings import Settings
from service.startup.start_error import StartError
from service.startup.state import read_state
from service.web.app import create_app
from tests.cli.lines import answers, line, write
from tests.examples import HAND
from tests.waiting import DEADLINE_SECONDS, wait_until

ROOT = Path(__file__).parents[2]
ODD_LINES = [b"", b"{", b"[]", b"null", b'{"id":"a","id":"b"}', b"\xff", b'{"id":7}', b"NaN", b'{"id":"x","op":"fly"}']
RESTS = [[first, second] for first in ("KD", "QD", "JD", "TD") for second in ("2C", "3C", "4C", "5C", "6C", "8C")]


@pytest.fixture(scope="module")
def api() -> FlaskClient:
    return create_app(read_state(Settings()), open(os.devnull, "w")).test_client()  # noqa: PTH123


def test_answers_are_those_of_the_api(file: Path, tmp_path: Path, api: FlaskClient) -> None:
    """One for each line, in the order of the lines."""
    output = tmp_path / "out.ndjson"
    assert main(["judge", str(file), "--output", str(output), "--cores", "2"]) == DONE
    items = [json.loads(each) for each in file.read_bytes().splitlines()][:1000]
    assert answers(output) == api.post("/batch", json={"items": items}).json["items"]  # type: ignore[index]


def test_a_faulty_line_has_a_problem_in_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [each for odd in ODD_LINES for each in (line(0), odd)]
    assert main(["judge", str(write(tmp_path / "in", lines)), "--cores", "1"]) == FAULTY
    told = [json.loads(each) for each in capsys.readouterr().out.splitlines()]
    assert [each["status"] for each in told[::2]] == [200] * len(ODD_LINES)
    assert [each["status"] for each in told[1::2]] == [400, 400, 422, 422, 400, 400, 422, 400, 422]
    assert [each["body"]["request_id"] for each in told[1::2]] == [
        f"line-{2 * n}" for n in range(1, len(ODD_LINES) + 1)
    ]


def test_an_endless_line_takes_no_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As one that fits is read whole, so one that is too long is passed over up to its end."""
    spaces = b" " * MAX_BODY_BYTES
    fits = (line(0) + spaces)[:MAX_BODY_BYTES]
    lines = [fits, fits + b"\r", fits + b" ", 3 * spaces, line(1), fits, line(2) + 2 * spaces]
    file, output = write(tmp_path / "in", lines), tmp_path / "out"
    judge = ["judge", str(file), "--cores", "1", "--output", str(output)]
    assert main(judge) == FAULTY
    told = [json.loads(each) for each in output.read_bytes().splitlines()]
    assert [each["status"] for each in told] == [200, 200, 413, 413, 200, 200, 413]
    assert told[2]["body"]["code"] == "BODY_TOO_LARGE"
    with file.open("rb") as source:
        assert max(map(len, read_lines(source, MAX_BODY_BYTES))) == MAX_BODY_BYTES + 2
    # There is nothing to go on with, and no quarrel about the last.
    assert main([*judge, "--resume"]) == FAULTY
    assert len(output.read_bytes().splitlines()) == len(lines)


def test_a_last_line_needs_no_line_feed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").write_bytes(line(0) + b"\n" + line(1))
    assert main(["judge", str(tmp_path / "in"), "--cores", "1"]) == DONE
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize("cut", [0, 1, 5_000, 100_001, -1, -2, None])
def test_a_resumed_run_writes_what_one_run_writes(file: Path, tmp_path: Path, cut: int | None) -> None:
    whole, output = tmp_path / "whole", tmp_path / "part"
    main(["judge", str(file), "--output", str(whole), "--cores", "1"])
    output.write_bytes(whole.read_bytes()[:cut])
    assert main(["judge", str(file), "--output", str(output), "--resume", "--cores", "1"]) == DONE
    assert output.read_bytes() == whole.read_bytes()


def test_a_fault_before_the_interruption_still_counts(tmp_path: Path) -> None:
    file, output = write(tmp_path / "in", [b"{", line(1), line(2)]), tmp_path / "out"
    assert main(["judge", str(file), "--output", str(output), "--cores", "1"]) == FAULTY
    output.write_bytes(b"".join(output.read_bytes().splitlines(keepends=True)[:2]))
    assert main(["judge", str(file), "--output", str(output), "--resume", "--cores", "1"]) == FAULTY


def test_only_the_same_input_is_resumed(file: Path, tmp_path: Path) -> None:
    """The answers to another file are left as they are."""
    output = tmp_path / "out"
    main(["judge", str(file), "--output", str(output), "--cores", "1"])
    before = output.read_bytes()
    for lines in ([line(number) for number in range(5)], [line(number + 1) for number in range(1000)]):
        other = write(tmp_path / "other", lines)
        assert main(["judge", str(other), "--output", str(output), "--resume", "--cores", "1"]) == UNUSABLE
    assert main(["judge", str(file), "--output", str(output), "--cores", "1"]) == UNUSABLE
    assert output.read_bytes() == before


@pytest.mark.parametrize("arguments", [["nowhere"], ["in", "--resume"], ["."]])
def test_unusable_arguments_are_reported_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    write(tmp_path / "in", [line(0)])
    monkeypatch.chdir(tmp_path)
    assert main(["judge", *arguments]) == UNUSABLE
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)


@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL], ids=lambda kill: kill.name)
def test_a_killed_run_is_resumed(tmp_path: Path, kill: signal.Signals) -> None:
    """It loses no line, repeats none, and leaves no process behind. It cannot end before: its input has no end yet."""
    # Each hand is another, so that a line out of place would be seen.
    lines = [line(number, hand=[*HAND[:11], *rest], groups=...) for number, rest in enumerate(RESTS * 120)]
    file, whole, output = write(tmp_path / "in", lines), tmp_path / "whole", tmp_path / "out"
    command = [sys.executable, "-m", "service", "judge"]
    slowly = [*command, "/dev/stdin", "--output", str(output), "--cores", "1"]
    with subprocess.Popen(
        slowly,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # A shell starts what runs in the background with interrupts ignored, and a child inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 (no thread is running)
    ) as process:
        assert process.stdin
        process.stdin.write(b"".join(each + b"\n" for each in lines[: len(lines) // 2]))
        process.stdin.flush()
        wait_until(lambda: output.exists() and output.stat().st_size, "no answers")
        process.send_signal(kill)
        assert process.wait(DEADLINE_SECONDS) == (INTERRUPTED if kill is signal.SIGINT else -kill)
    assert 0 < len(output.read_bytes().splitlines()) < len(lines)
    wait_until(lambda: not is_group(process.pid), "processes go on without their parent")
    subprocess.run([*command, str(file), "--output", str(output), "--resume"], cwd=ROOT, check=True)
    assert main(["judge", str(file), "--output", str(whole)]) == DONE
    assert output.read_bytes() == whole.read_bytes()
    assert [each["id"] for each in answers(output)] == [f"n{number}" for number in range(len(lines))]


def is_group(process_group: int) -> bool:
    """Whether a process of this group is there."""
    try:
        os.killpg(process_group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    "text",
    [
        *("precious notes", "precious notes\n", '{"id":"n0"}\n', '{"id":"n0","status":200,"bo\nx'),
        *('{"id":"n0","status":200,\n', '{"id":"\\q","status":200,"body":{}}\n'),
    ],
)
def test_another_file_is_not_overwritten(file: Path, tmp_path: Path, text: str) -> None:
    """A file that holds no answers is left as it is."""
    output = tmp_path / "notes"
    output.write_text(text, encoding="utf-8")
    for more in ([], ["--resume"]):
        assert main(["judge", str(file), "--output", str(output), "--cores", "1", *more]) == UNUSABLE
        assert output.read_text(encoding="utf-8") == text


def test_the_input_is_not_written_to(tmp_path: Path) -> None:
    file = tmp_path / "in"
    file.write_bytes(line(0) + b"\n" + line(1))
    before = file.read_bytes()
    assert main(["judge", str(file), "--output", str(file), "--resume"]) == UNUSABLE
    assert file.read_bytes() == before


def test_two_runs_do_not_share_an_output(file: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    with output.open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert main(["judge", str(file), "--output", str(output), "--cores", "1"]) == UNUSABLE
    assert main(["judge", str(file), "--output", str(output), "--cores", "1"]) == DONE


def test_a_faulty_rule_set_is_reported_once(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A process of the pool finds it, and its error arrives as it was raised."""

    def faulty() -> Never:
        raise StartError(["online-13.toml: version: missing"])

    monkeypatch.setattr("service.startup.state.load_rule_sets", faulty)
    assert main(["judge", str(file), "--cores", "1"]) == NOT_STARTED
    assert capsys.readouterr().err == "showcheck cannot start:\n  online-13.toml: version: missing\n"


def test_a_killed_process_is_an_interruption(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output is not whole, and --resume goes on with it."""
    monkeypatch.setattr("service.cli.judging.answer_item", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    assert main(["judge", str(file), "--cores", "1"]) == INTERRUPTED


def test_requests_may_come_through_a_pipe() -> None:
    command = [sys.executable, "-m", "service", "judge", "/dev/stdin", "--cores", "1"]
    run = subprocess.run(command, cwd=ROOT, input=line(0) + b"\n" + line(1), capture_output=True, check=True)
    assert [json.loads(each)["status"] for each in run.stdout.splitlines()] == [200, 200]


@pytest.mark.parametrize("cores", ["0", "-1", "x", "100000"])
def test_cores_are_as_many_as_make_sense(capsys: pytest.CaptureFixture[str], cores: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["judge", "in", "--cores", cores])
    assert "a whole number from 1 to" in capsys.readouterr().err
