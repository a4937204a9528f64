"""`sayso data` downloads complete data sets or nothing, and says what to do after a failure."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import json
import socket
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sayso.errors import SaysoError
from sayso.training.data import commands as data_commands
from sayso.training.data import corpora, download, publishers
from sayso.training.data.commands import app
from sayso.training.data.datasets import DataSet, RemoteFile, datasets
from sayso.training.data.download import download as fetch

# As published in crux82/huric, one example a file.
HRC = """<?xml version="1.0" encoding="UTF-8"?>
<huricExample id="1">
  <commands>
    <command>
      <sentence>take the cup</sentence>
      <tokens>
        <token id="1" lemma="take" pos="VB" surface="take"/>
        <token id="2" lemma="the" pos="DT" surface="the"/>
        <token id="3" lemma="cup" pos="NN" surface="cup"/>
      </tokens>
      <dependencies><dep from="0" to="1" type="root"/></dependencies>
      <semantics>
        <frames>
          <frame name="Taking">
            <lexicalUnit><token id="1"/></lexicalUnit>
            <frameElements>
              <frameElement type="Theme" semanticHead="3"><token id="2"/><token id="3"/></frameElement>
            </frameElements>
          </frame>
        </frames>
      </semantics>
    </command>
  </commands>
  <semanticMap><entities><entity atom="cup_1" type="Cup"/></entities></semanticMap>
</huricExample>
"""
# The part of ALFRED's traj_data.json that is used.
TRAJECTORY = {
    "turk_annotations": {"anns": [{"task_desc": "Wash.", "high_descs": ["Walk to the sink. ", "Rinse the mug."], "votes": [1, 1]}]},
    "plan": {
        "high_pddl": [
            {"discrete_action": {"action": "GotoLocation", "args": ["sinkbasin"]}, "high_idx": 0},
            {"discrete_action": {"action": "CleanObject", "args": ["mug"]}, "high_idx": 1},
            {"discrete_action": {"action": "NoOp", "args": []}, "high_idx": 2},
        ]
    },
}
CONTENT = bytes(range(256)) * 2000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Publisher(BaseHTTPRequestHandler):
    """/file serves CONTENT and ranges of it; the first time, /breaks stops halfway and /busy answers 503; others give 404."""

    asked: list[tuple[str, str]]
    files: dict[str, bytes]

    def do_GET(self) -> None:
        begin = int((self.headers.get("Range") or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        before = sum(path == self.path for path, _ in self.asked)
        self.asked.append((self.path, self.headers.get("Range") or ""))
        content = self.files.get(self.path)
        if content is None:
            return self.send_error(404)
        if self.path == "/busy" and not before:
            return self.send_error(503)
        if begin >= len(content):
            return self.send_error(416)
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        end = len(content) // 2 if self.path == "/breaks" and not before else len(content)
        self.wfile.write(content[begin:end])
        return None

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(download, "PAUSE", 0.0)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    Publisher.asked, Publisher.files = [], {"/file": CONTENT, "/breaks": CONTENT, "/busy": CONTENT}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Publisher)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_complete_file_leaves_no_other_files(address: str, tmp_path: Path) -> None:
    came: list[int] = []
    fetch(f"{address}/file", tmp_path / "deep" / "file", SHA256, came.append)
    assert (tmp_path / "deep" / "file").read_bytes() == CONTENT
    assert sum(came) == len(CONTENT)
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["file"]


@pytest.mark.parametrize("path", ["/breaks", "/busy"])
def test_a_broken_or_refused_download_is_tried_again(address: str, tmp_path: Path, path: str) -> None:
    fetch(address + path, tmp_path / "file", SHA256)
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert len(Publisher.asked) == 2


def test_an_interrupted_download_continues(address: str, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(CONTENT[:1000])
    fetch(f"{address}/file", tmp_path / "file", SHA256)
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert Publisher.asked == [("/file", "bytes=1000-")]


def test_a_part_as_long_as_the_file_is_downloaded_again(address: str, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(b"?" * len(CONTENT))
    fetch(f"{address}/file", tmp_path / "file", SHA256)
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_unexpected_content_is_refused_and_the_old_file_stays(address: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(SaysoError, match=r"has changed .*: the download was discarded") as refused:
        fetch(f"{address}/file", tmp_path / "file", "0" * 64)
    assert "\n" not in str(refused.value)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]


def test_a_removed_file_is_reported(address: str, tmp_path: Path) -> None:
    with pytest.raises(SaysoError, match="404: the publisher has moved or removed it"):
        fetch(f"{address}/gone", tmp_path / "file")
    assert len(Publisher.asked) == 1  # asking again would not help
    assert not list(tmp_path.iterdir())


def test_a_missing_network_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "PAUSE", 0.0)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = free.getsockname()[1]
    with pytest.raises(SaysoError, match="check the network") as refused:
        fetch(f"http://127.0.0.1:{closed}/file", tmp_path / "file")
    assert "\n" not in str(refused.value)


def test_a_full_disk_is_reported_and_the_part_is_kept(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: str, part: Path, __: object) -> None:
        part.write_bytes(CONTENT[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download, "_bring", full)
    with pytest.raises(SaysoError, match="the disk is full"):
        fetch(f"{address}/file", tmp_path / "file", SHA256)
    assert (tmp_path / "file.part").read_bytes() == CONTENT[:10]


def huric_archive(path: Path, content: str = HRC) -> bytes:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in (("huric-1/en/S4R/1.hrc", content), ("huric-1/it/2.hrc", "<x/>"), ("huric-1/README.md", "#")):
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return path.read_bytes()


def test_huric_is_converted_for_the_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huric_archive(tmp_path / "huric.tar.gz")
    (tmp_path / "huric").mkdir()
    assert publishers.huric(tmp_path / "huric.tar.gz", tmp_path / "huric" / "huric_en.json") == 1
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    (sentence,) = corpora.huric()
    assert sentence.text == "take the cup"
    assert [(frame.name, frame.trigger, frame.elements) for frame in sentence.frames] == [("Taking", (0,), {"Theme": "the cup"})]


def test_alfred_is_converted_for_the_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for split in ("train", "valid_seen", "valid_unseen"):
        trial = tmp_path / "json_2.1.0" / split / "pick-1" / "trial_1"
        trial.mkdir(parents=True)
        (trial / "traj_data.json").write_text(json.dumps(TRAJECTORY))
    monkeypatch.setattr(publishers, "_unpack", lambda _, folder: (tmp_path / "json_2.1.0").rename(folder / "json_2.1.0"))
    (tmp_path / "alfred").mkdir()
    assert publishers.alfred(tmp_path / "json.7z", tmp_path / "alfred" / "steps.jsonl.gz") == 4
    monkeypatch.setenv("SAYSO_DATA", str(tmp_path))
    assert [(each.text, each.label) for each in corpora.alfred("valid_seen")] == [
        ("Walk to the sink.", "GotoLocation"),
        ("Rinse the mug.", "CleanObject"),
    ]
    first = json.loads(gzip.decompress((tmp_path / "alfred" / "steps.jsonl.gz").read_bytes()).splitlines()[0])
    assert first == {"split": "train", "text": "Walk to the sink.", "action": "GotoLocation", "args": ["sinkbasin"]}


def test_files_that_are_not_archives_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"<html>")
    with pytest.raises(SaysoError, match="not HuRIC in its published format"):
        publishers.huric(tmp_path / "a", tmp_path / "huric_en.json")
    huric_archive(tmp_path / "b", HRC.replace('<token id="1"/>', '<token id="9"/>'))
    with pytest.raises(SaysoError, match="not HuRIC in its published format"):
        publishers.huric(tmp_path / "b", tmp_path / "huric_en.json")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SaysoError, match="apt install 7zip"):
        publishers.alfred(tmp_path / "a", tmp_path / "steps.jsonl.gz")


@pytest.fixture
def published(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A local publisher with a set of files and a set to convert; a third set is missing there."""
    Publisher.files["/huric.tar.gz"] = huric_archive(tmp_path / "at_the_publishers")

    def one(path: str) -> RemoteFile:
        return RemoteFile.model_validate({"from": address + path, "size": len(CONTENT), "sha256": SHA256})

    about = {"what": "a set", "licence": "MIT", "publisher": address, "citation": "Someone 2020"}
    sets = {
        "plain": DataSet(**about, files={"train/seq.in": one("/file"), "test/seq.in": one("/breaks")}),
        "gone": DataSet(**about, files={"a": one("/gone")}),
        "huric": DataSet(**about, archive=f"{address}/huric.tar.gz", convert="huric", result="huric_en.json", sentences=1),
    }
    monkeypatch.setattr(data_commands, "datasets", lambda: sets)
    monkeypatch.setattr("sayso.training.data.datasets.datasets", lambda: sets)
    return tmp_path / "data"


def test_download_continues_after_a_failure_and_names_it(published: Path) -> None:
    result = CliRunner().invoke(app, ["download", "--folder", str(published)])
    assert str(result.exception) == "not downloaded: gone"
    assert (published / "plain" / "train" / "seq.in").read_bytes() == CONTENT
    assert len(json.loads((published / "huric" / "huric_en.json").read_text())) == 1
    assert sorted(path.name for path in published.rglob("*") if path.is_file()) == ["huric_en.json", "seq.in", "seq.in"]
    asked = len(Publisher.asked)
    again = CliRunner().invoke(app, ["download", "plain", "huric", "--folder", str(published)])
    assert again.exit_code == 0
    assert "already in" in again.output
    assert len(Publisher.asked) == asked


def test_an_archive_with_too_few_sentences_replaces_nothing(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huric = data_commands.datasets()["huric"].model_copy(update={"sentences": 2})
    monkeypatch.setattr("sayso.training.data.datasets.datasets", lambda: {"huric": huric})
    result = CliRunner().invoke(app, ["download", "huric", "--folder", str(published)])
    assert str(result.exception) == "not downloaded: huric"
    assert "expected 2 at least" in result.output
    assert not [path for path in published.rglob("*") if path.is_file()]


def test_list_shows_which_sets_are_downloaded(published: Path) -> None:
    (published / "huric").mkdir(parents=True)
    (published / "huric" / "huric_en.json").write_text("[]")
    lines = CliRunner().invoke(app, ["list", "--folder", str(published)], env={"COLUMNS": "200"}).output.splitlines()
    assert [(line.split()[0], line.split()[1]) for line in lines if line.split()[0] in {"plain", "gone", "huric"}] == [
        ("plain", "no"),
        ("gone", "no"),
        ("huric", "yes"),
    ]


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    result = CliRunner().invoke(app, ["download", "clinc"])
    assert isinstance(result.exception, SaysoError)
    assert "clinc150, banking77" in str(result.exception)


def test_every_listed_set_has_its_origin_licence_and_citation() -> None:
    for name, each in datasets().items():
        assert each.licence, name
        assert each.citation, name
        assert bool(each.files) != bool(each.archive), name
        assert all(file.url.startswith("https://") for file in each.files.values()), name
    assert {"clinc150", "banking77", "hwu64", "snips", "tage", "huric", "alfred"} <= set(datasets())


@pytest.mark.skipif(not (corpora.data_folder() / "clinc150").is_dir(), reason="no data: sayso data download, or SAYSO_DATA")
def test_the_local_data_match_the_list() -> None:
    for name, each in datasets().items():
        for path, file in each.files.items():
            assert hashlib.sha256((corpora.data_folder() / name / path).read_bytes()).hexdigest() == file.sha256, f"{name}/{path}"
