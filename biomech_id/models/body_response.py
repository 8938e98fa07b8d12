"""What a marker that is off does to the angles above the pelvis and to the centre of mass: measured on the model, as for the legs.

Copies of the walk in which one marker is moved a little are tracked behind each other (`models.marker_response`). The angle by
which the static trial finds the head tipped is taught by the same markers, and takes back what they tip it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.anatomy import Part
from biomech_id.conventions import AXES, SIDES, UPPER_BODY_TABLE
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.model_errors import BodyResponse
from biomech_id.models.conventional.upper_body.placement import ARM_ROLES, HEAD_ROLES, THORAX_ROLES
from biomech_id.models.marker_response import LEAST_FRAMES, MOVED_BY_M, Slot, few_frames, moved_copies, moved_slots, only
from biomech_id.movement.movement import CalibratedModel
from biomech_id.trial import Markers, Trial
from biomech_id.values import dataclass

#: Frames of a trial up to which its response is measured at once and kept, and how often a trial is looked at, Hz.
KEPT_FRAMES, LOOKS_HZ = 2000, 6.25
#: Angles above the pelvis, each side's.
ANGLE_ROWS = tuple(row for row in UPPER_BODY_TABLE if row.quantity == "angle")
#: Angle by which the head is tipped forward, and the neck's, of which it is the proximal segment -> sign of what is taken back.
_TIPPED = {i: {"head": -1.0, "neck": 1.0}[row.joint] for i, row in enumerate(ANGLE_ROWS)
           if row.joint in ("head", "neck") and row.component == "X"}  # fmt: skip


def _upper_slots(motion: BodyMotion) -> Iterator[Slot]:
    """Every displacement above the pelvis; both arms are moved at once."""
    of_arm = dict(zip(ARM_ROLES, ("thorax", "humerus", "radius", "radius", "hand"), strict=True))
    places: list[tuple[str, str, dict[str, Part]]] = [("trunk", role, {"": ("", "thorax")}) for role in THORAX_ROLES]
    places += [("head", role, {side: ("", "head")}) for side in SIDES for role in HEAD_ROLES]
    places += [("arm", role, {s: ("" if name == "thorax" else s, name) for s in SIDES}) for role, name in of_arm.items()]
    for segment, role, parts in places:
        named = {
            side: (motion.roles[side, role], part)
            for side, part in parts.items()
            if part in motion.motions and (segment != "arm" or (side, "hand") in motion.motions)
        }
        yield from (Slot(named, role, segment, axis) for axis in range(3) if named)


@dataclass(frozen=True, eq=False)
class BodyMarkers:
    """The markers of a trial in which something above the pelvis is tracked.

    Attributes
    ----------
    model : CalibratedModel
        The model that tracked the trial.
    trial : Trial
        The trial as analysed.
    motion : BodyMotion
        The trial as ``model`` tracked it.
    """

    model: CalibratedModel
    trial: Trial
    motion: BodyMotion

    def around(self, first: int, last: int) -> BodyResponse | None:
        """Return what every marker does in some frames.

        Parameters
        ----------
        first, last : int
            Rows of the trial that must lie within; of a short trial all are looked at, and once.

        Returns
        -------
        BodyResponse | None
            None where fewer than four of the frames looked at show everything that is tracked.
        """
        return self._whole if self.motion.n_frames <= KEPT_FRAMES else self._response(first, last)

    @cached_property
    def _whole(self) -> BodyResponse | None:
        return self._response(0, self.motion.n_frames)

    @cached_property
    def _tips(self) -> FloatArray:
        """Change (p, 1) of the head's forward tip in the static trial, rad per metre; zero where it teaches no offset."""
        slots = self._slots(self.trial.markers)
        tips, of_head = np.zeros((len(slots), 1)), [slot.segment == "head" for slot in slots]
        static = None if self.model.static is None else few_frames(self.model.static, LEAST_FRAMES, above=True)
        if static is not None and any(of_head):
            heads, rows = [slot for slot in slots if slot.segment == "head"], np.arange(static.n_frames)
            changes, _ = self._changes(static.markers, self.model.track(static), rows, heads)
            tips[of_head, 0] = changes[self.motion.sides[0]][:, :, min(_TIPPED)].mean(axis=1)
        return tips

    def _response(self, first: int, last: int) -> BodyResponse | None:
        every = max(1, round(self.motion.rate_hz / LOOKS_HZ))
        rows = np.arange(max(0, first - 2 * every), min(self.motion.n_frames, last + 2 * every), every)
        # What is missing where a marker is: angles, and the centre of mass.
        joints = {row.joint for row in ANGLE_ROWS}
        shown = [angle[rows] for (_, joint), angle in self.motion.joint_angles_rad.items() if joint in joints]
        shown += [] if self.motion.whole is None else [self.motion.whole.com_lab_m[rows]]
        rows = rows[np.isfinite(np.concatenate(shown, axis=1)).all(axis=1)]
        if len(rows) < LEAST_FRAMES:
            return None
        slots = self._slots(self.trial.markers)
        walking, com = self._changes(self.trial.markers, self.motion, rows, slots)
        if not all(np.isfinite(change).all() for change in (*walking.values(), com)):
            return None
        placed = {side: change.copy() for side, change in walking.items()}
        for change in placed.values():
            for column, sign in _TIPPED.items():
                change[:, :, column] += sign * self._tips
        moved = tuple(slot.of(next(iter(slot.markers.values()))[0]) for slot in slots)
        return BodyResponse(moved, rows, walking, placed, com)

    def _slots(self, markers: Markers) -> list[Slot]:
        return [*moved_slots(markers, self.model.marker_groups), *_upper_slots(self.motion)]

    def _changes(
        self, markers: Markers, motion: BodyMotion, rows: IntArray, slots: Sequence[Slot]
    ) -> tuple[dict[str, FloatArray], FloatArray]:
        """Changes (p, K, 19) of each side's angles, rad per metre, and (p, K, 3) of the centre of mass."""
        few = only(markers, {*self.model.marker_names, *self.motion.roles.values()}, rows)
        at = {part: each.frames.R_lab_seg[rows] for part, each in motion.motions.items()}
        tracked = self.model.track(Trial(self.trial.name, moved_copies(few, at, slots), subject=self.trial.subject))
        nothing, n = np.zeros((tracked.n_frames, 3)), len(rows)
        changes = {}
        for side in SIDES:
            angles = [tracked.joint_angles_rad.get((side, row.joint), nothing)[:, AXES.index(row.component)] for row in ANGLE_ROWS]
            of_copies = np.stack(angles, axis=1).reshape(-1, n, len(ANGLE_ROWS))
            changes[side] = ((of_copies[1:] - of_copies[0] + np.pi) % (2 * np.pi) - np.pi) / MOVED_BY_M
        whole = nothing if tracked.whole is None else tracked.whole.com_lab_m
        com = whole.reshape(-1, n, 3)
        # Left and right, which are moved together, are off by draws of their own.
        both = np.sqrt([len(slot.markers) for slot in slots])[:, None, None]
        return changes, (com[1:] - com[0]) / MOVED_BY_M / both


def body_markers(model: CalibratedModel, trial: Trial, motion: BodyMotion) -> BodyMarkers | None:
    """Return the markers of a trial, to be asked what they do above the pelvis.

    Parameters
    ----------
    model : CalibratedModel
        The model that tracked the trial.
    trial : Trial
        The trial as analysed.
    motion : BodyMotion
        The trial as ``model`` tracked it.

    Returns
    -------
    BodyMarkers | None
        None without trunk and head. Nothing is moved before somebody asks.
    """
    if not {("", "thorax"), ("", "head")} & motion.motions.keys():
        return None
    return BodyMarkers(model, Trial(trial.name, trial.markers, subject=trial.subject), motion)
