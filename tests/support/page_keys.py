"""The keyboard alone, in a real browser."""

from __future__ import annotations

from typing import Any

NAME = """() => {
  const at = document.activeElement;
  return (at.getAttribute('aria-label') || at.labels?.[0]?.innerText || at.textContent || at.placeholder || '').trim();
}"""
MOST = 200  # presses


def tab_to(page: Any, name: str, back: bool = False) -> None:
    """Press Tab, or Shift+Tab, until something of that name has the focus.

    Raises:
        AssertionError: nothing of that name can be reached.
    """
    passed = []
    for _ in range(MOST):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        passed.append(page.evaluate(NAME))
        if passed[-1] == name:
            return
    raise AssertionError(f"Tab never came to {name!r}, but to {sorted(set(passed))}")
