"""Magnets are released until each of them is known to be free."""

from __future__ import annotations

from sayso.gazebo.releases import TRIES, Releases


def test_every_magnet_is_told_until_it_says_that_it_is_free() -> None:
    releases = Releases(("cup", "ball"))
    assert releases.due() == ("cup", "ball")
    releases.hear("cup", "detached", wanted=False)
    assert releases.due() == ("ball",)
    assert not releases.done
    releases.hear("ball", "detached", wanted=False)
    assert releases.done


def test_a_magnet_that_never_answers_was_free_before() -> None:
    releases = Releases(("cup",))
    for _ in range(TRIES):
        assert releases.due() == ("cup",)
    assert releases.due() == ()
    assert releases.done


def test_what_attaches_unasked_is_released_and_what_is_grasped_is_not() -> None:
    releases = Releases(("cup", "ball"))
    for name in ("cup", "ball"):
        releases.hear(name, "detached", wanted=False)
    releases.hear("cup", "attached", wanted=True)
    releases.hear("ball", "attached", wanted=False)
    assert releases.due() == ("ball",)


def test_a_world_that_starts_again_holds_everything_again() -> None:
    releases = Releases(("cup",))
    releases.hear("cup", "detached", wanted=False)
    releases.begin()
    assert releases.due() == ("cup",)
