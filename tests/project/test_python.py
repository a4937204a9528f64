"""Sayso as a library: the three lines, the imports of `import sayso`, and every example of docs/python.md."""

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sayso
from patience import PATIENCE
from sayso import AudioError, Context, Sayso, SaysoError, read_sound

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"
SENTENCES = ROOT / "config" / "sentences"
HEAVY = {
    "numpy",
    "onnxruntime",
    "pydantic",
    "yaml",
    "rich",
    "tokenizers",
    "rapidfuzz",
    "scipy",
    "PIL",
    "soundfile",
    "soxr",
    "pocketsphinx",
    "torch",
}
NUMBER = re.compile(r"-?\d+\.\d+")
TOLERANCE = 0.02  # 8-bit products differ slightly between processors


@pytest.fixture(scope="module")
def robot() -> Sayso:
    return Sayso.load()


def in_a_fresh_process(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout


def test_three_lines_lead_from_text_to_a_decision() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(program.split("\n\n")[1].splitlines()) == 2  # besides the import
    assert in_a_fresh_process(program) == "execute\n"


def test_import_loads_nothing_heavy() -> None:
    loaded = in_a_fresh_process("import sys, sayso; sayso.__version__; print(*sorted(m for m in sys.modules))").split()
    assert "sayso" in loaded
    assert not HEAVY & {name.split(".")[0] for name in loaded}
    assert not [name for name in loaded if name.startswith("sayso.")]


def test_text_needs_neither_the_recogniser_nor_the_grounder() -> None:
    program = "import sys; from sayso import Sayso; Sayso.load().understand('stop'); print(*sys.modules)"
    assert not {"pocketsphinx", "soundfile", "sayso.grounding", "PIL"} & set(in_a_fresh_process(program).split())


def test_every_public_name_exists_and_is_listed() -> None:
    assert all(getattr(sayso, name) is not None for name in sayso.__all__)
    assert dir(sayso) == sorted(sayso.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = sayso.nothing


def blocks() -> Iterator[tuple[str, str | None]]:
    """The page's Python blocks with the text block that follows each, None if there is none."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for index, (language, source) in enumerate(found):
        if language == "python":
            following = found[index + 1] if index + 1 < len(found) else ("", "")
            yield source, following[1] if following[0] == "text" else None


def test_the_examples_of_the_page_print_the_shown_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    examples = list(blocks())
    assert len(examples) > 10
    for source, expected in examples:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(source, str(PAGE), "exec"), names)
        if expected is not None:
            assert NUMBER.sub("#", printed.getvalue()) == NUMBER.sub("#", expected), source
            numbers = [[float(number) for number in NUMBER.findall(text)] for text in (printed.getvalue(), expected)]
            assert numbers[0] == pytest.approx(numbers[1], abs=TOLERANCE), source


def test_a_result_offers_the_results_of_all_stages(robot: Sayso) -> None:
    result = robot.understand("go to the kitchen and bring me the cup")
    assert (result.decision, result.plan, [clause.intent for clause in result.clauses]) == ("ask", None, ["go_to", "bring"])
    assert (result.reason, result.question) == (result.action_belief.reason, result.action_belief.question)
    assert result.actions == result.action_belief.chosen
    assert result.probability == min(candidate.probability for candidate in best_of_each_clause(result))
    assert robot.understand("").probability == 0.0


def best_of_each_clause(result: Any) -> list[Any]:
    rows = result.action_belief.candidates
    return [max((row for row in rows if row.clause == clause), key=lambda row: row.probability) for clause in {row.clause for row in rows}]


@pytest.mark.parametrize(
    "sentence", ["bring me the red cup", "move forward one meter", "don't go to the kitchen", "the weather is nice", ""]
)
def test_explains_every_kind_of_sentence(robot: Sayso, sentence: str) -> None:
    result = robot.understand(sentence)
    text = robot.explain(result)
    assert f"decision: {result.decision}" in text
    assert all(str(action) in text for action in result.actions)
    assert robot.as_data(result)["decision"] == result.decision


def test_a_context_is_made_from_ids_and_unknown_ids_are_refused(robot: Sayso) -> None:
    x, y, yaw = robot.domain.places["counter"].pose
    expected = Context(x=x, y=y, yaw=yaw, place="counter", holding="red_cup", visible=("lemon",))
    assert robot.context(at="counter", holding="red_cup", visible=("lemon",)) == expected
    assert robot.context() == robot.default_context()
    with pytest.raises(SaysoError, match="the domain has no place 'garage'; known: "):
        robot.context(at="garage")
    with pytest.raises(SaysoError, match="the domain has no object 'unicorn'; known: "):
        robot.context(holding="unicorn")


def test_sound_is_understood_from_a_file_and_from_samples(robot: Sayso) -> None:
    file = SENTENCES / "bring_me_the_red_cup.flac"
    decided = [robot.understand(sound) for sound in (file, read_sound(file), read_sound(file).samples)]
    assert [str(each.actions[0]) for each in decided] == ["bring(recipient=operator, theme=red_cup)"] * 3
    assert robot.transcribe(str(file))[0].utterance_id == "bring_me_the_red_cup-1"


def test_silence_is_rejected(robot: Sayso) -> None:
    result = robot.understand(np.zeros(16_000, np.int16))
    assert (result.decision, result.reason) == ("reject", "no speech in it")


def test_sound_of_several_utterances_is_refused(robot: Sayso) -> None:
    one = read_sound(SENTENCES / "go_to_the_dock.flac").samples
    with pytest.raises(AudioError, match=r"contains 2 utterances: call transcribe\(\), then understand\(\) for each transcript"):
        robot.understand(np.concatenate([one, np.zeros(16_000, np.int16), one]))


@pytest.mark.parametrize("samples", [np.zeros(16_000), np.zeros((16_000, 2), np.int16)])
def test_sound_in_another_format_is_refused(robot: Sayso, samples: Any) -> None:
    with pytest.raises(AudioError, match="16000 Hz mono int16"):
        robot.understand(samples)


def test_only_the_decision_execute_gets_a_plan(robot: Sayso) -> None:
    with pytest.raises(SaysoError, match="there is nothing to carry out: the decision is ask"):
        robot.plan(robot.understand("bring me the cup"))


def test_an_unreadable_picture_is_one_clear_error(robot: Sayso, tmp_path: Path) -> None:
    file = tmp_path / "picture.png"
    file.write_bytes(b"no picture")
    for unreadable in (file, tmp_path / "none.png"):
        with pytest.raises(SaysoError, match="not a readable picture"):
            robot.ground(unreadable, "the red cup")


def test_each_thread_may_have_its_own_instance(robot: Sayso) -> None:
    sentences = ["bring me the red cup", "go to the kitchen", "find the keys", "bring me the cup"]

    def decisions(_: int) -> list[str]:
        own = Sayso.load()
        return [str(own.understand(sentence).actions) for sentence in sentences * 3]

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(decisions, range(3))) == [[str(robot.understand(sentence).actions) for sentence in sentences * 3]] * 3
