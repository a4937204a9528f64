"""What axe-core finds on a page, for the tests of each tab."""

from __future__ import annotations

from typing import Any

import pytest


def serious(opened: Any) -> list[tuple[str, str]]:
    """(rule, markup) of each serious or critical finding on this page of Playwright; its context needs `bypass_csp`."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed").Axe()
    opened.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    found = axe.run(opened).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")]
