"""All residuals of a session, worked out again only where something changed."""

from __future__ import annotations

from biomech_id.conventions import SIDES
from biomech_id.judgement.diagnosis.of_legs import ResidualValues, changed_sides, of_legs
from biomech_id.judgement.diagnosis.of_plates import changed_plates, of_plates
from biomech_id.judgement.diagnosis.recorded import Recorded
from biomech_id.values import dataclass


@dataclass(frozen=True, eq=False)
class JudgedWalk:
    """A session with its residuals.

    Attributes
    ----------
    session : Recorded
        The session in memory.
    legs, plates : ResidualValues
        (residual, unit) -> value, in the units of ``spread.csv``.
    as_recorded : bool, optional
        Whether they are those of the session; False where something was taken off them directly.
    """

    session: Recorded
    legs: ResidualValues
    plates: ResidualValues
    as_recorded: bool = True

    @property
    def values(self) -> ResidualValues:
        """All residuals."""
        return self.legs | self.plates


def residuals(session: Recorded, before: JudgedWalk | None = None) -> JudgedWalk:
    """Return everything in a session that can contradict something else in it.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    before : JudgedWalk | None, optional
        The session that it was made from: what rests on the same values is taken over.

    Returns
    -------
    JudgedWalk
        Without what this session has no verdict on.
    """
    old = session if before is None else before.session
    if before is None or _stated(session) != _stated(old):
        return JudgedWalk(session, of_legs(session), of_plates(session))
    same = session.markers is old.markers and session.standing is old.standing and session.subject is old.subject
    if before.as_recorded:
        legs = before.legs if same else of_legs(session, (old, before.legs))
        return JudgedWalk(session, legs, of_plates(session, (old, before.plates)))
    # No leg or plate is mixed from what something was taken off and what it was not.
    kept = session.markers is old.markers and session.subject.mass_kg == old.subject.mass_kg
    kept = kept and session.plates is old.plates and session.events is old.events
    return JudgedWalk(session, before.legs if same else of_legs(session), before.plates if kept else of_plates(session), False)


def _stated(session: Recorded) -> tuple[object, ...]:
    return session.aided, session.prostheses, session.any_gait


def changed_units(session: Recorded, before: JudgedWalk) -> frozenset[str]:
    """Return whose residuals may differ from those of the session that it was made from.

    Parameters
    ----------
    session : Recorded
        The session in memory.
    before : JudgedWalk
        The one that it was made from.

    Returns
    -------
    frozenset[str]
        "L", "R", numbers of plates, "" for the session.
    """
    old = before.session
    legs = session.markers is not old.markers or session.standing is not old.standing or session.subject is not old.subject
    units = {""} if legs or session.events is not old.events else set[str]()
    # What was taken off residuals directly comes back with them.
    if legs:
        units |= set(changed_sides(session, old) if before.as_recorded else SIDES)
    plates = changed_plates(session, old)
    if plates and not before.as_recorded:
        plates = set(range(1, len(session.plates) + 1))
    return frozenset(units | {str(number) for number in plates})
