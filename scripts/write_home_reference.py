"""Write docs/home-reference.md and the JSON Schemas of home files. Run it after changing their models."""

from __future__ import annotations

from pathlib import Path

from sayso.console.home_reference import FILES, SCHEMAS, reference, schema_file, schema_of

SCHEMAS.mkdir(exist_ok=True)
for kind in FILES:
    schema_file(kind).write_text(schema_of(kind), encoding="utf-8")
(Path(__file__).parents[1] / "docs" / "home-reference.md").write_text(reference(), encoding="utf-8")
