"""Skills of one's own in Python: found in files, modules and installed packages, and checked against the home's domain."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from sayso.domain.model import Domain
from sayso.errors import SaysoError, SkillPluginError
from sayso.robot.body import MakeSkill, RobotState
from sayso.robot.skill import Skill, SkillFailed, Step
from sayso.types import SkillCall

GROUP = "sayso.skills"  # of entry points: skill = "package.module:function"
MARK = "_sayso_skill"
LONGEST = 200  # characters of an error that people hear
F = TypeVar("F", bound=Callable[..., Any])


def own_skill(function: F) -> F:
    """Mark a generator function as the skill of its name: `def water(body, goal): … yield Step("watering", 0.5)`.

    `body` is a RobotState: where the robot is, and `body.robot` to move it. The other parameters are the arguments of the skill in the
    domain file, as ids: "kitchen", "red_cup".
    """
    setattr(function, MARK, True)
    return function


@dataclass(frozen=True, slots=True)
class SkillPlugin:
    """One skill of one's own."""

    name: str  # of the skill
    function: Callable[..., Any]
    source: str  # where it is from, for a person: "water.py", "the package my_robot"


def named_plugins(names: Iterable[str]) -> tuple[SkillPlugin, ...]:
    """The marked functions of these modules ("my_robot.skills") and files ("/home/me/water.py").

    Raises:
        SkillPluginError: one cannot be imported, or has no skill.
    """
    return tuple(plugin for name in names for plugin in _marked(_imported(name), name))


def installed_plugins() -> tuple[SkillPlugin, ...]:
    """The skills of installed packages.

    Raises:
        SkillPluginError: one cannot be imported.
    """
    return tuple(_loaded(entry) for entry in entry_points(group=GROUP))


def strangers(domain: Domain, plugins: Iterable[SkillPlugin]) -> tuple[SkillPlugin, ...]:
    """The plug-ins whose skill the home does not have: a package is installed for all homes."""
    return tuple(plugin for plugin in plugins if plugin.name not in domain.skills)


def plugin_skills(domain: Domain, plugins: Iterable[SkillPlugin]) -> dict[str, MakeSkill]:
    """Skill → what makes it, for plug-ins that fit the domain.

    Raises:
        SkillPluginError: one does not fit, or two have the same name; one line that says what to change.
    """
    found: dict[str, SkillPlugin] = {}
    for plugin in plugins:
        _check(domain, plugin)
        if plugin.name in found:
            raise SkillPluginError(f"skill '{plugin.name}': both {found[plugin.name].source} and {plugin.source} have it; leave one out")
        found[plugin.name] = plugin
    return {name: _made_by(plugin) for name, plugin in found.items()}


def _imported(name: str) -> ModuleType:
    try:
        return _executed(Path(name).expanduser()) if name.endswith(".py") else import_module(name)
    except FileNotFoundError as error:
        raise SkillPluginError(f"skill plug-in {name}: no such file") from error
    except (Exception, SystemExit) as error:  # a user's module may raise anything
        raise _not_imported(name, error) from error


def _executed(file: Path) -> ModuleType:
    spec = spec_from_file_location(f"sayso_skills_{file.stem}", file)
    assert spec is not None and spec.loader is not None  # a name that ends in .py has both
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _marked(module: ModuleType, name: str) -> Iterator[SkillPlugin]:
    functions = [each for each in vars(module).values() if getattr(each, MARK, False) and each.__module__ == module.__name__]
    if not functions:
        raise SkillPluginError(f"skill plug-in {name}: no function in it is marked with @own_skill (from sayso.robot import own_skill)")
    yield from (SkillPlugin(function.__name__, function, name) for function in functions)


def _loaded(entry: EntryPoint) -> SkillPlugin:
    source = f"the package {entry.dist.name}" if entry.dist else entry.value
    try:
        return SkillPlugin(entry.name, entry.load(), source)
    except (Exception, SystemExit) as error:
        raise _not_imported(f"{entry.name} of {source}", error) from error


def _not_imported(name: str, error: BaseException) -> SkillPluginError:
    return SkillPluginError(f"skill plug-in {name} cannot be imported: {_one_line(error)}")


def _check(domain: Domain, plugin: SkillPlugin) -> None:
    """Raise SkillPluginError unless it is a generator function with the arguments that the domain's skill has."""
    what = f"{plugin.source}: skill '{plugin.name}'"
    if plugin.name not in domain.skills:
        raise SkillPluginError(f"{what} is not in the home: add it to `skills:` of the domain file, or rename the function")
    if not inspect.isgeneratorfunction(plugin.function):
        raise SkillPluginError(f"{what} does not yield: make it a function with `yield Step(status, progress)` 20 times a second")
    arguments = tuple(domain.skills[plugin.name].arguments)
    try:
        inspect.signature(plugin.function).bind(None, **dict.fromkeys(arguments, ""))
    except TypeError as error:
        wanted = f"def {plugin.name}({', '.join(('body', *arguments))})"
        raise SkillPluginError(f"{what} does not have the arguments that the home gives it ({error}): write `{wanted}`") from error


def _made_by(plugin: SkillPlugin) -> MakeSkill:
    """The skill as the runner knows it. An error or a wrong yield of the user's code ends the skill as failed, with the reason."""

    def run(body: RobotState, call: SkillCall) -> Skill:
        steps = plugin.function(body, **{role: call.argument(role) for role in body.domain.skills[call.name].arguments})
        try:
            for step in steps:
                if not isinstance(step, Step) or not math.isfinite(step.progress):
                    raise SkillFailed(f"{plugin.source} yielded {step!r:.60} instead of a Step with a progress in [0, 1]")
                yield step
        except (SaysoError, SkillFailed):
            raise
        except (Exception, SystemExit) as error:
            raise SkillFailed(f"{plugin.source} failed: {_one_line(error)}") from error
        finally:
            with suppress(Exception, SystemExit):  # it may refuse to end; the robot rests all the same
                steps.close()

    return run


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:LONGEST].rstrip(": ")


def with_plugins(domain: Domain, built_in: Mapping[str, MakeSkill], names: Iterable[str]) -> tuple[dict[str, MakeSkill], tuple[str, ...]]:
    """Skill → what makes it, of all skills of the home that are built in or have a plug-in; and what a person should know of them.

    Args:
        domain: of the home.
        built_in: the skills that plug-ins of the same name replace.
        names: of modules and files with plug-ins, besides the installed packages.

    Raises:
        SkillPluginError: a plug-in cannot be used.
    """
    installed = installed_plugins()
    left_out = strangers(domain, installed)
    plugins = (*named_plugins(names), *(each for each in installed if each not in left_out))
    own = plugin_skills(domain, plugins)
    notes = [f"skill '{each.name}' of {each.source} is left out: the home has no such skill" for each in left_out]
    notes += [
        f"skill '{each.name}' is that of {each.source}" + (", in place of the built-in one" if each.name in built_in else "")
        for each in plugins
    ]
    made = {**built_in, **own}
    return {name: made[name] for name in domain.skills if name in made}, tuple(notes)
