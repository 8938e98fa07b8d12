"""What tests of several rooms share: a stick walker on plates, and the results of a small body in one trial and one session."""

from __future__ import annotations

from tests.unit.small_body import body, contacts, cycles, make_contact, session, trial
from tests.unit.stick_walker import walker

__all__ = ["body", "contacts", "cycles", "make_contact", "session", "trial", "walker"]
