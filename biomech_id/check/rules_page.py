"""The page that explains every rule, generated from the rules themselves: ``python -m biomech_id.check.rules_page``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from biomech_id.check.rules import DOCTOR_RULES
from biomech_id.readers.reading_rules import READING_RULES
from biomech_id.readers.rules import Rule

PAGE = Path(__file__).resolve().parents[2] / "docs" / "check-rules.md"
INTRODUCTION = """# What `biomech-id check` looks for

Generated from the rules in `biomech_id/readers/reading_rules.py` and `biomech_id/check/rules.py`; do not edit.

Severity: **info** needs no action, **warning** may change results (exit code 3), **error** makes the file or trial unusable.
"""


def page() -> str:
    """Return the page as Markdown."""
    sections = [("Noticed while reading", READING_RULES), ("Noticed by the doctor", DOCTOR_RULES)]
    return INTRODUCTION + "".join(_section(title, group) for title, group in sections)


def _section(title: str, group: Sequence[Rule]) -> str:
    entries = "".join(f"\n### {r.id}\n\n**{r.severity}**. {r.meaning}\n\nWhat to do: {r.hint}\n" for r in group)
    return f"\n## {title}\n{entries}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
