"""`sayso new` and `sayso check`: the first hour of a user's own home."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest
import typer
from typer.testing import CliRunner

from sayso.console.ask import ask
from sayso.console.check import check
from sayso.console.home_reference import FILES, reference, schema_file, schema_of
from sayso.console.new import app
from sayso.domain import load_domain
from sayso.errors import DomainError, SaysoError
from sayso.paths import config_dir
from sayso.yaml_source.text import PlainData, composed

DOCS = Path(__file__).resolve().parents[2] / "docs"
REFRESH = "python scripts/write_home_reference.py writes it again"


def content(file: Path) -> dict[str, Any]:
    """The file as editors read it: by YAML 1.2, in which `on` is not a boolean."""
    return PlainData(file).of(composed(file, file.read_text(encoding="utf-8")))


def run(command: typer.Typer, *arguments: object) -> str:
    """What it prints; errors for the user are raised."""
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def checking() -> typer.Typer:
    command = typer.Typer()
    command.command()(check)
    return command


@pytest.fixture
def asking() -> typer.Typer:
    command = typer.Typer()
    command.command()(ask)
    return command


@pytest.fixture
def home(tmp_path: Path) -> Path:
    file = tmp_path / "my homes" / "my_home.yaml"
    assert f"sayso check '{file}'" in run(app, "home", file)
    return file


def test_a_new_home_is_fine_and_understood_as_it_is(home: Path, checking: typer.Typer, asking: typer.Typer) -> None:
    said = run(checking, home)
    assert "my home is fine (places: 6, objects: 4, people: 1, intents: 28)" in said
    assert "it names no scene" in said
    understood = json.loads(run(asking, "--domain", home, "--json", "bring me the red cup"))
    assert understood["decision"] == "execute"
    assert understood["candidates"][0]["arguments"] == {"recipient": "me", "theme": "red_cup"}
    assert json.loads(run(asking, "--domain", home, "--json", "bring me the cup"))["decision"] == "ask"


def test_check_names_actions_that_no_sentence_asks_for(home: Path, checking: typer.Typer) -> None:
    assert "no intent leads" not in run(checking, home)
    home.write_text(home.read_text(encoding="utf-8") + "actions:\n  wave: {say: wave}\n", encoding="utf-8")
    assert "no intent leads to the action 'wave'" in run(checking, home)


def test_a_new_home_stays_valid_where_it_is_moved(home: Path, tmp_path: Path) -> None:
    moved = home.rename(tmp_path / "elsewhere.yaml")
    assert load_domain(moved).name == "my home"


def test_a_new_home_has_the_new_scene(home: Path, checking: typer.Typer) -> None:
    run(app, "scene", home.parent / "my_scene.yaml")
    home.write_text(home.read_text(encoding="utf-8").replace("# scene: my_scene.yaml", "scene: my_scene.yaml"), encoding="utf-8")
    assert "its scene my_scene.yaml agrees" in run(checking, home)


def test_everything_that_a_new_home_offers_in_comments_loads(home: Path) -> None:
    text = home.read_text(encoding="utf-8")
    offered = re.sub(r"^( *)# (?=knife:|anna:|intents:|  )(?!  sayso |      )", r"\1", text, flags=re.MULTILINE)
    offered = re.sub(r"^#( {3,}(?:thirsty|roles|theme|recipient|actions|examples|- ).*)$", r" \1", offered, flags=re.MULTILINE)
    home.write_text(offered, encoding="utf-8")
    domain = load_domain(home)
    assert domain.objects["knife"].care == 5
    assert "anna" in domain.people
    assert len(domain.intents["thirsty"].examples) == 5


def test_a_file_that_exists_is_never_overwritten(home: Path) -> None:
    before = home.read_text(encoding="utf-8")
    with pytest.raises(SaysoError, match=r"my_home\.yaml exists already: choose another name"):
        run(app, "home", home)
    assert home.read_text(encoding="utf-8") == before


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SaysoError, match=r"my_home\.yaml cannot be written: "):
        run(app, "home", tmp_path / "file" / "my_home.yaml")


@pytest.mark.parametrize("kind", FILES)
def test_a_new_file_names_its_schema_and_fits_it(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "new.yaml"
    run(app, "home" if kind == "domain" else "scene", file)
    text = file.read_text(encoding="utf-8")
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    assert named is not None
    schema = json.loads(Path(url2pathname(urlparse(named[1]).path)).read_text(encoding="utf-8"))
    assert json.loads(run(app, "schema", kind)) == schema
    import jsonschema  # takes seconds where its formats are installed

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(content(file), schema)
    with pytest.raises(jsonschema.ValidationError, match="posse"):
        jsonschema.validate({**content(file), "posse": 1}, schema)


@pytest.mark.parametrize("file", ["home.yaml", "warehouse.yaml", "scenes/apartment.yaml", "scenes/warehouse.yaml"])
def test_the_shipped_files_fit_their_schema(file: str) -> None:
    kind = "scene" if file.startswith("scenes/") else "domain"
    import jsonschema

    jsonschema.validate(content(config_dir() / file), json.loads(schema_of(kind)))


@pytest.mark.parametrize("kind", FILES)
def test_the_schema_is_that_of_the_models(kind: str) -> None:
    assert schema_file(kind).read_text(encoding="utf-8") == schema_of(kind), REFRESH


def test_the_reference_is_that_of_the_models() -> None:
    assert (DOCS / "home-reference.md").read_text(encoding="utf-8") == reference(), REFRESH


def test_ask_refuses_a_home_with_all_of_its_mistakes(home: Path, asking: typer.Typer) -> None:
    text = home.read_text(encoding="utf-8").replace("category: keys", "categorie: keys").replace("kind: spot", "kind: spott")
    home.write_text(text, encoding="utf-8")
    with pytest.raises(DomainError) as error:
        run(asking, "--domain", home, "bring me the keys")
    assert [finding.split("; ")[0].split(": ", 1)[1] for finding in error.value.findings] == [
        "places.dock.kind: 'spott' is not allowed",
        "objects.keys.categorie: unknown field 'categorie'",
    ]


def test_check_prints_every_mistake_of_a_home(tmp_path: Path, checking: typer.Typer) -> None:
    file = tmp_path / "home.yaml"
    file.write_text('include: ["sayso:home.yaml"]\nobjects:\n' + "".join(f"  cup_{number}: {{}}\n" for number in range(30)))
    result = CliRunner().invoke(checking, [str(file)])
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 30
    assert all("'category' is missing" in line for line in result.stderr.splitlines())


def test_check_names_what_domain_and_scene_do_not_agree_on(home: Path, checking: typer.Typer) -> None:
    scene = home.parent / "my_scene.yaml"
    run(app, "scene", scene)
    scene.write_text(scene.read_text(encoding="utf-8").replace("  keys: {shape", "  kees: {shape"), encoding="utf-8")
    text = home.read_text(encoding="utf-8")
    home.write_text(text.replace("# scene: my_scene.yaml", "scene: my_scene.yaml"), encoding="utf-8")
    with pytest.raises(DomainError) as error:
        run(checking, home)
    at = {name: next(n for n, row in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if row.startswith(f"  {name}:"))
          for name, path in (("kees", scene), ("keys", home))}  # fmt: skip
    assert error.value.findings == (
        f"{scene}:{at['kees']}: object 'kees' is in the scene and not in the domain",
        f"{home}:{at['keys']}: object 'keys' is in the domain and not in the scene",
    )
    home.write_text(text.replace("# scene: my_scene.yaml", "scene: no_scene.yaml"), encoding="utf-8")
    with pytest.raises(DomainError, match=r"my_home\.yaml:\d+: scene: there is no file 'no_scene\.yaml'"):
        run(checking, home)
