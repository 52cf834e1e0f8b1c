"""judge --check: every verdict of a file is judged again, and each that is not the same is listed."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.cli.judge import DONE, FAULTY, UNUSABLE
from service.cli.main import main
from service.limits import MAX_BODY_BYTES
from service.startup.rule_files import load_rule_sets
from tests.cli.lines import answers, line, write
from tests.examples import deal


@pytest.fixture
def signed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Signed answers to a few items, a deal and a faulty one among them."""
    key = tmp_path / "key.json"
    assert main(["keygen", str(key)]) == 0
    monkeypatch.setenv("SHOWCHECK_SIGNING_KEY_FILE", str(key))
    settle = json.dumps({"id": "deal", "op": "settle", **deal()}).encode()
    file, output = write(tmp_path / "in", [line(0), line(1), settle, b"{"]), tmp_path / "signed"
    assert main(["judge", str(file), "--output", str(output), "--cores", "1"]) == FAULTY
    return output


def check(file: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]], str]:
    """What `--check` says of a file: exit code, the lines, and the summary."""
    capsys.readouterr()
    code = main(["judge", "--check", str(file), "--cores", "1"])
    told = capsys.readouterr()
    return code, [json.loads(each) for each in told.out.splitlines()], told.err


def test_signed_verdicts_are_the_same_when_judged_again(signed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two hands, the show and the loser of the deal; a problem is no verdict."""
    assert check(signed, capsys) == (DONE, [], "4 verdicts, 4 the same today, 0 not\n")


def test_bare_verdicts_can_be_checked_too(signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = [json.dumps(each["body"]).encode() for each in answers(signed)[:3]]
    assert check(write(tmp_path / "bare", bare), capsys) == (DONE, [], "4 verdicts, 4 the same today, 0 not\n")


def test_every_other_verdict_is_listed(signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each with its line and what is wrong with it."""
    good, other = (each["body"] for each in answers(signed)[:2])
    unsigned = {name: value for name, value in good.items() if name != "attestation"}
    lines: list[Any] = [
        good,
        unsigned,
        {**good, "attestation": good["attestation"][:-4] + "AAAA"},
        {**good, "attestation": other["attestation"]},
        {**good, "attestation": 7},
        [],
    ]
    file = write(tmp_path / "mixed", [*(json.dumps(each).encode() for each in lines), b"{"])
    code, listed, summary = check(file, capsys)
    assert (code, summary) == (FAULTY, "7 verdicts, 1 the same today, 6 not\n")
    assert [(each["line"], each["result"]) for each in listed] == [
        (2, "UNSIGNED"),
        (3, "BAD_SIGNATURE"),
        (4, "ALTERED"),
        (5, "WRONG_TYPE"),
        (6, "NO_VERDICT"),
        (7, "NO_VERDICT"),
    ]
    assert {each["verdict_id"] for each in listed[:4]} == {good["verdict_id"]}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("points", 0),
        ("valid", True),
        ("wrong_show", False),
        ("deal", "CONTINUES"),
        ("judged", "BEST"),
        ("reasons", []),
        ("wild_rank", None),
        ("rule_set", {"name": "online-13", "version": 1, "digest": "sha256:0"}),
        ("best", None),
        ("submitted", {"declarable": True, "points": 0}),
        ("verdict_id", "0" * 64),
        # To Python these are equal to what was signed.
        ("points", 80.0),
        ("valid", 0),
    ],
)
def test_an_altered_answer_is_listed(
    signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, value: Any
) -> None:
    """A person reads the answer, not the statement in its attestation."""
    verdict = answers(signed)[0]["body"]
    assert name in verdict
    code, listed, _ = check(write(tmp_path / "altered", [json.dumps({**verdict, name: value}).encode()]), capsys)
    assert (code, [(each["result"], each["altered"]) for each in listed]) == (FAULTY, [("ALTERED", [name])])


@pytest.mark.parametrize("status", [200, "200", 422], ids=repr)
@pytest.mark.parametrize("more", [{"players": []}, {"points": ...}, {"deal": ...}], ids=str)
def test_an_answer_hides_no_alteration(
    signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], status: Any, more: dict[str, Any]
) -> None:
    """It does not pass for a deal or a problem, and a field left out is one that was altered."""
    body = {**answers(signed)[0]["body"], "valid": True, **more}
    item = {"id": "1", "status": status, "body": {name: value for name, value in body.items() if value is not ...}}
    code, listed, _ = check(write(tmp_path / "altered", [json.dumps(item).encode()]), capsys)
    left_out = [name for name, value in more.items() if value is ...]
    assert (code, [sorted(each["altered"]) for each in listed]) == (FAULTY, [sorted(["valid", *left_out])])


def test_a_score_has_no_deal(tmp_path: Path, signed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A field that was not signed is one that was added."""
    loser = answers(signed)[2]["body"]["players"][1]["verdict"]
    assert "deal" not in loser
    code, listed, _ = check(write(tmp_path / "added", [json.dumps({**loser, "deal": "ENDS"}).encode()]), capsys)
    assert (code, [each["altered"] for each in listed]) == (FAULTY, [["deal"]])


def test_an_altered_charge_in_a_deal_is_listed(
    signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The attestation of the deal says another."""
    settled = answers(signed)[2]["body"]
    settled["players"][1]["points"] -= 1
    code, listed, _ = check(write(tmp_path / "altered", [json.dumps(settled).encode()]), capsys)
    assert (code, [each["altered"] for each in listed]) == (FAULTY, [["charged"]])


def test_attestations_alone_can_be_checked(signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = [each["body"]["attestation"].encode() for each in answers(signed)[:2]]
    assert check(write(tmp_path / "tokens", tokens), capsys) == (DONE, [], "2 verdicts, 2 the same today, 0 not\n")


def test_a_file_without_a_verdict_proves_nothing(
    signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(write(tmp_path / "none", []), capsys) == (FAULTY, [], "0 verdicts, 0 the same today, 0 not\n")


def test_without_any_key_nothing_is_checked(
    signed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SHOWCHECK_SIGNING_KEY_FILE")
    code, listed, told = check(signed, capsys)
    assert (code, listed) == (UNUSABLE, [])
    assert "SHOWCHECK_VERIFY_KEYS_FILE" in told


def test_an_answer_may_be_longer_than_what_was_asked(
    signed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answered = answers(signed)[0]
    padded = write(tmp_path / "padded", [json.dumps({**answered, "note": "x" * 2 * MAX_BODY_BYTES}).encode()])
    code, listed, told = check(padded, capsys)
    assert (code, listed) == (DONE, [])
    assert told.startswith("1 verdicts, 1 the same")


def test_a_run_is_signed_throughout_or_not_at_all(
    signed: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run is resumed with a key if it began with one, and else without."""
    requests, unsigned = tmp_path / "in", tmp_path / "unsigned"
    write(requests, [*requests.read_bytes().splitlines(), line(5)])
    before = signed.read_bytes()
    key = os.environ["SHOWCHECK_SIGNING_KEY_FILE"]
    monkeypatch.delenv("SHOWCHECK_SIGNING_KEY_FILE")
    go_on = ["judge", str(requests), "--cores", "1", "--resume", "--output"]
    assert main([*go_on, str(signed)]) == UNUSABLE
    assert "are signed, and there is no key" in capsys.readouterr().err
    assert signed.read_bytes() == before
    assert main(["judge", str(file), "--cores", "1", "--output", str(unsigned)]) == DONE
    monkeypatch.setenv("SHOWCHECK_SIGNING_KEY_FILE", key)
    assert main(["judge", str(file), "--cores", "1", "--resume", "--output", str(unsigned)]) == UNUSABLE
    assert "are not signed, and there is a key" in capsys.readouterr().err
    assert main([*go_on, str(signed)]) == FAULTY
    assert signed.read_bytes().startswith(before)
    assert signed.read_bytes().count(b',"attestation":"') == before.count(b',"attestation":"') + 1


def test_a_verdict_under_other_rules_is_listed(
    signed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what the rules say today."""
    today = load_rule_sets()
    changed = replace(today["online-13"], version=99, digest="sha256:" + "0" * 64, wrong_show_charge=40)
    monkeypatch.setattr("service.startup.state.load_rule_sets", lambda: {**today, "online-13": changed})
    code, listed, _ = check(signed, capsys)
    assert (code, [each["result"] for each in listed]) == (FAULTY, ["RULES_CHANGED", "RULES_CHANGED"])
    assert [each[when]["outcome"]["points"] for each in listed[:1] for when in ("then", "now")] == [80, 40]


@pytest.mark.parametrize(
    "arguments", [["--check", "nowhere"], ["in", "--check", "in"], ["--check", "in", "--resume"], []]
)
def test_unusable_arguments_are_reported_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    write(tmp_path / "in", [b"{}"])
    monkeypatch.chdir(tmp_path)
    assert main(["judge", *arguments]) == UNUSABLE
    assert capsys.readouterr().err.count("\n") == 1
