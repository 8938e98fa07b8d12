"""The rules behind findings: one entry each, so that every finding has an id, a severity and a hint known to the docs page."""

from __future__ import annotations

from dataclasses import dataclass

from biomech_id.errors import Finding, Severity

INFO, WARNING, ERROR = Severity.INFO, Severity.WARNING, Severity.ERROR


@dataclass(frozen=True)
class Rule:
    """What a finding of this id means.

    Attributes
    ----------
    id : lower-case words joined by hyphens; stable, other programs rely on it.
    severity : info, warning or error.
    meaning : what was noticed and why it matters, one or two sentences.
    hint : what to do about it.
    """

    id: str
    severity: Severity
    meaning: str
    hint: str

    @property
    def anchor(self) -> str:
        """Where the docs page explains this rule."""
        return f"docs/check-rules.md#{self.id}"

    def finding(self, message: str, where: str = "") -> Finding:
        """Return a finding of this rule; ``message`` names what was found with its number and unit."""
        return Finding(self.id, self.severity, message, self.hint, where)
