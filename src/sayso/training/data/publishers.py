"""Convert published archives into the files that `corpora` reads: HuRIC's XML and ALFRED's trajectories."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sayso.errors import SaysoError

SPLITS = ("train", "valid_seen")
UNPACKERS = (("7z", "x", "-y"), ("7zz", "x", "-y"), ("7za", "x", "-y"), ("bsdtar", "-xf"))


def huric(archive: Path, result: Path) -> int:
    """Write the English part of HuRIC's repository as one JSON list, and return the number of sentences.

    Raises:
        SaysoError: it is not an archive, or its files are not HuRIC's.
    """
    try:
        with tarfile.open(archive) as members:
            wanted = [member for member in members if member.isfile() and "/en/" in member.name and member.name.endswith(".hrc")]
            parsed = [_commands(ET.parse(file).getroot(), Path(member.name)) for member in wanted if (file := members.extractfile(member))]  # noqa: S314
    except (tarfile.TarError, OSError, ET.ParseError, KeyError, AttributeError) as strange:
        raise SaysoError(f"{archive} is not HuRIC in its published format ({strange!r})") from None
    sentences = [each for commands in parsed for each in commands]
    _replace(result, json.dumps(sentences, indent=1, ensure_ascii=False).encode())
    return len(sentences)


def _commands(root: ET.Element, name: Path) -> list[dict[str, Any]]:
    found = []
    for command in root.iterfind("commands/command"):
        tokens = command.findall("tokens/token")
        place = {token.attrib["id"]: number for number, token in enumerate(tokens)}
        frames = [
            {
                "name": frame.attrib["name"],
                "lu": [place[token.attrib["id"]] for token in frame.iterfind("lexicalUnit/token")],
                "fe": [
                    [element.attrib["type"], [place[token.attrib["id"]] for token in element.iterfind("token")]]
                    for element in frame.iterfind("frameElements/frameElement")
                ],
            }
            for frame in command.iterfind("semantics/frames/frame")
        ]
        sentence = command.findtext("sentence", "")
        words = [token.attrib["surface"] for token in tokens]
        entities = len(root.findall("semanticMap/entities/entity"))
        found.append(
            {"id": root.get("id"), "subset": name.parent.name, "sent": sentence, "tokens": words, "frames": frames, "n_entities": entities}
        )
    return found


def alfred(archive: Path, result: Path) -> int:
    """Write the steps of ALFRED's trajectories, one JSON object a line (split, text, action, args), and return their number.

    Raises:
        SaysoError: no program here unpacks .7z, the archive is damaged, or its contents are not ALFRED's.
    """
    with tempfile.TemporaryDirectory(dir=result.parent) as folder:
        _unpack(archive, Path(folder))
        lines = [json.dumps(step) for split in SPLITS for step in alfred_steps(Path(folder), split)]
    _replace(result, gzip.compress("".join(line + "\n" for line in lines).encode(), mtime=0))
    return len(lines)


def alfred_steps(folder: Path, split: str) -> Iterator[dict[str, Any]]:
    """Each annotator's instructions, each with its action in the plan."""
    for path in sorted(folder.glob(f"*/{split}/*/*/traj_data.json")):
        try:
            trajectory = json.loads(path.read_text(encoding="utf-8"))
            actions = [step["discrete_action"] for step in trajectory["plan"]["high_pddl"]]
            actions = [action for action in actions if action["action"] != "NoOp"]  # the end of the plan
            for annotation in trajectory["turk_annotations"]["anns"]:
                for text, action in zip(annotation["high_descs"], actions, strict=False):  # some annotators left a step out
                    yield {"split": split, "text": text.strip(), "action": action["action"], "args": action["args"]}
        except (OSError, ValueError, KeyError, TypeError) as strange:
            raise SaysoError(f"{path.relative_to(folder)} is not a trajectory of ALFRED ({strange!r})") from None


def _unpack(archive: Path, folder: Path) -> None:
    found = next(((path, *options) for name, *options in UNPACKERS if (path := shutil.which(name))), None)
    if found is None:
        raise SaysoError(f"no program here unpacks {archive.name}: run 'apt install 7zip' (or p7zip-full), then run it again")
    done = subprocess.run([*found, str(archive.resolve())], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason given"]
        raise SaysoError(f"{archive} cannot be unpacked: {last[0]}")


def _replace(path: Path, content: bytes) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    partial.replace(path)
