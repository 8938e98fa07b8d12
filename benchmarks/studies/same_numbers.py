"""Every session of `benchmarks.same_results` beside its results at the base commit: how many lines differ, and why.

The tests hold the sessions of ``same_results.QUICK`` on every commit; the others cost ten minutes of two cores and are held here.
``BIOMECH_ID_BASE_RESULTS`` names a folder in which the base's results stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.differences import Difference
from benchmarks.same_results import BASE, SESSIONS, kept, since, stale, unexplained
from biomech_id import __version__

TABLE = Path(__file__).with_suffix(".md")


def rows(found: Mapping[str, Sequence[Difference]]) -> dict[str, tuple[int, int, int]]:
    """Session -> lines that differ and an exception explains, lines that none does, lines that were added."""
    counts = {}
    for name, lines in found.items():
        changed = [each.line for each in lines if not each.added]
        unlike = len(unexplained({name: changed}, BASE))
        counts[name] = (len(changed) - unlike, unlike, len(lines) - len(changed))
    return counts


def main() -> int:
    """Write the table; 1 where a difference has no exception, or an exception no difference."""
    found = since(BASE, [name for name, session in SESSIONS.items() if session.there], kept())
    idle = stale({name: [each.line for each in lines if not each.added] for name, lines in found.items()}, BASE)
    counts = rows(found)
    lines = [
        "# The same results as at the base",
        "",
        f"biomech_id {__version__} beside commit {BASE[:12]}; {len(counts)} sessions, every file that each leaves behind.",
        "",
        "| session | explained | not explained | added |",
        "|---|---|---|---|",
        *(f"| {name} | {explained} | {unlike} | {added} |" for name, (explained, unlike, added) in counts.items()),
        "",
        f"Exceptions that explain nothing: {', '.join(idle) or 'none'}.",
    ]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return int(bool(idle) or any(unlike for _, unlike, _ in counts.values()))
