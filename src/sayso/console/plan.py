"""`sayso plan`: the policy for a sentence as a tree with values and probabilities, and on the map. Nothing moves."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sayso.console.options import takes
from sayso.errors import SaysoError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.text import Text
    from rich.tree import Tree

    from sayso.domain import Domain
    from sayso.pipeline import Understanding
    from sayso.planning import WorldBelief
    from sayso.planning.policy import PolicyNode, PolicyOutcome
    from sayso.types import Action, Context, SkillCall

FEW = 2  # other first steps that are shown


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """The options as given, in the order of `--help`."""

    domain: Annotated[Path | None, typer.Option("--domain", "-d", help="Domain file of another home.", show_default=False)] = None
    at: Annotated[str, typer.Option("--at", help="Place where the robot is.", show_default=False)] = ""
    holding: Annotated[str, typer.Option("--holding", help="Object in the gripper.", show_default=False)] = ""
    battery: Annotated[float, typer.Option("--battery", min=0.0, max=1.0, help="Charge of the battery; 0.03 is 3 %.")] = 1.0
    least: Annotated[float, typer.Option("--least", min=0.0001, max=1.0, help="Leave out what is less probable.")] = 0.02
    map: Annotated[Path | None, typer.Option("--map", "-m", help="Also draw it on the map: .png.", show_default=False)] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False


@dataclass(frozen=True, slots=True)
class ShownPlan:
    """The plan of one action of the sentence."""

    action: Action
    belief: WorldBelief  # before it
    ahead: tuple[SkillCall, ...]  # along the most probable outcomes
    bound: float = 0.0  # no plan is worth more
    done: float = 0.0  # P(the action will be carried out)
    policy: PolicyNode | None = None  # None: there is nothing to do, or no way
    reason: str = ""  # why


@takes(PlanOptions)
def plan(
    sentence: Annotated[str, typer.Argument(help="What you say to the robot.", show_default=False)],
    options: PlanOptions = PlanOptions(),
) -> None:
    """Show the plan for a sentence as a tree of skills, values and probabilities, and on the map. Nothing moves.

    The number after a skill is the value V of the situation: the expected, discounted reward from there. In parentheses: how much less the
    next best choice is worth. "At most" is a bound that no plan exceeds.

    Examples:

    - `sayso plan "bring me the red cup"`

    - `sayso plan "find my keys and bring them to me" --at kitchen --least 0.005`

    - `sayso plan "put the milk on the dining table" --map plan.png`

    - `sayso plan "bring me the red cup" --battery 0.06`

    Exit code: 0, also if the sentence is rejected or nothing can be done; 2 if the domain, its scene or the models cannot be read.
    """
    if options.map is not None and options.map.suffix.lower() != ".png":
        raise SaysoError(f"{options.map}: a picture's name ends in .png")
    from sayso.console.ask import robot_at
    from sayso.console.stages import plain_console
    from sayso.domain import load_domain
    from sayso.pipeline import Pipeline

    home, console = load_domain(options.domain), plain_console()
    with nullcontext() if options.as_json or not console.is_terminal else console.status("Loading the models …"):
        pipeline = Pipeline(home)
    context = replace(robot_at(pipeline, options.at, options.holding), battery=options.battery)
    understanding = pipeline.understand(sentence, context)
    plans = list(_plans(home, understanding, context, options.least))
    whole = understanding.plan.ahead if understanding.plan is not None and _is_joint(home, understanding) else ()
    declined = _declined(understanding, plans)
    if options.as_json:
        data = {
            "decision": understanding.decision,
            "reason": understanding.reason,
            "question": understanding.question,
            "declined": declined,
            "together": [str(call) for call in whole],
            "plans": [_data(each) for each in plans],
        }
        sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")
    else:
        console.print(_decision(understanding), soft_wrap=True)
        if declined:
            console.print(f"{declined} With more charge:", soft_wrap=True)
        if whole:
            console.print(_together(whole))
        for each in plans:
            console.print(_tree(each) if each.policy is not None else f"{each.action}: {each.reason}")
    if options.map is not None:
        _draw(home, options, plans, context)
        if not options.as_json:
            console.print(f"wrote {options.map}", soft_wrap=True)


def _plans(home: Domain, understanding: Understanding, context: Context, least: float) -> Iterator[ShownPlan]:
    """The plan of each action, and of the doors before and after it, as if those before it had gone well."""
    from sayso.planning import Planner
    from sayso.planning.policy import policy_tree
    from sayso.planning.relevant import goal_of, relevant_skills
    from sayso.planning.stores import with_doors
    from sayso.planning.window import solve
    from sayso.types import SkillOutcome

    if understanding.decision == "reject" or not understanding.actions:
        return
    planner, belief = Planner(home), None
    for action in with_doors(home, understanding.actions, planner.begin(understanding.actions[0], context).facts):
        before = belief = planner.begin(action, context, belief)
        made, goal = planner(action, belief), goal_of(home, action)
        if made.ahead:
            solved = solve(goal, relevant_skills(home, goal, belief, action), belief)
            yield ShownPlan(action, before, made.ahead, solved.bound, made.p_done, policy_tree(solved, goal, least))
        else:
            yield ShownPlan(action, before, (), reason=made.reason)
        for call in made.ahead:
            belief = belief.after(SkillOutcome(call, succeeded=True))


def _declined(understanding: Understanding, plans: list[ShownPlan]) -> str:
    """Why the robot would not begin the sentence, though there is a way for each of its actions: its battery."""
    return understanding.plan_reason if all(each.ahead for each in plans) else ""


def _is_joint(home: Domain, understanding: Understanding) -> bool:
    """Whether some actions of the sentence are done together, with the basket."""
    from sayso.planning.errands import can_stow, errand_of

    return can_stow(home) and sum(errand_of(home, action) is not None for action in understanding.actions) > 1


def _together(ahead: tuple[SkillCall, ...]) -> RenderableType:
    """The expected skills of a sentence whose errands are done together; the trees below are of each errand alone."""
    from rich.text import Text
    from rich.tree import Tree

    from sayso.console.drawing import Portable
    from sayso.console.stages import call_text

    root = Tree(Text("together, as expected (each errand alone below)"), guide_style="dim")
    for call in ahead:
        root.add(Text.assemble((call_text(call), "bold")))
    return Portable(root)


def _decision(understanding: Understanding) -> Text:
    from rich.text import Text

    said = f": {understanding.question}" if understanding.question else ""
    why = f"  {understanding.reason}" if understanding.reason != understanding.question else ""
    return Text.assemble((understanding.decision, "bold"), said, (why, "dim"))


def _tree(shown: ShownPlan) -> RenderableType:
    from rich.text import Text
    from rich.tree import Tree

    from sayso.console.drawing import Portable
    from sayso.console.stages import call_text

    assert shown.policy is not None
    worth = f"  V = {shown.policy.value:.2f}" + (f", at most {shown.bound:.2f}" if shown.bound - shown.policy.value > 0.005 else "")
    done = f"; done with {100 * shown.done:.0f} %"
    root = Tree(Text.assemble((call_text(shown.action), "bold"), worth, done), guide_style="dim")
    first = root.add(_step(shown.policy))
    others = [f"{call_text(call) if call else 'give up'} {value:.2f}" for call, value in shown.policy.others[:FEW]]
    if others:
        root.add(Text(f"or instead: {', '.join(others)}", "dim"))
    for outcome in shown.policy.outcomes:
        _grow(first, outcome)
    return Portable(root)


def _grow(tree: Tree, outcome: PolicyOutcome) -> None:
    from rich.text import Text

    node, word = outcome.then, ("succeeds", "green") if outcome.succeeded else ("fails", "red")
    head = Text.assemble(f"{100 * outcome.probability:3.0f} % ", word, (" → ", "dim"))
    branch = tree.add(head + (Text(node.end, "dim") if node.call is None else _step(node)))
    for each in node.outcomes:
        _grow(branch, each)


def _step(node: PolicyNode) -> Text:
    from rich.text import Text

    from sayso.console.stages import call_text

    assert node.call is not None
    lead = f" (+{max(0.0, node.value - node.others[0][1]):.2f})" if node.others else ""
    return Text.assemble((call_text(node.call), "bold"), f" {node.value:.2f}", (lead, "dim"))


def _data(shown: ShownPlan) -> dict[str, Any]:
    objects = {
        name: {place: round(float(p), 6) for place, p in zip(each.places, each.probabilities, strict=True)}
        for name, each in shown.belief.objects.items()
    }
    policy = _node_data(shown.policy) if shown.policy is not None else None
    figures = {"bound": shown.bound, "done": shown.done}
    return {"action": str(shown.action), "reason": shown.reason, **figures, "objects": objects, "policy": policy}


def _node_data(node: PolicyNode) -> dict[str, Any]:
    q = [{"skill": str(call) if call else "give up", "q": value} for call, value in node.others]
    outcomes = [{"p": each.probability, "succeeded": each.succeeded, "then": _node_data(each.then)} for each in node.outcomes]
    end = {"end": node.end} if node.end else {"skill": str(node.call), "others": q, "outcomes": outcomes}
    return {"v": node.value, "reached": node.reached, **end}


def _draw(home: Domain, options: PlanOptions, plans: list[ShownPlan], context: Context) -> None:
    from sayso.console.plan_picture import draw_plan
    from sayso.paths import config_dir
    from sayso.scene import load_scene
    from sayso.yaml_source import companion

    if not home.scene:
        raise SaysoError("--map: the domain names no scene to draw on (field `scene`)")
    assert options.map is not None
    scene = load_scene(companion(home.scene, options.domain or config_dir() / "home.yaml"))
    draw_plan(options.map, scene, home, [(each.belief.objects, each.ahead) for each in plans], (context.x, context.y))
