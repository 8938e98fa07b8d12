"""A trial's coordinates, speeds, accelerations and joint moments under OpenSim's names."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.anatomy import JOINTS
from biomech_id.conventions import SIDES
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.loads import JointLoads
from biomech_id.errors import MissingInputError
from biomech_id.exports.opensim.joints import (
    JointState,
    R_ground_lab,
    body_states,
    generalised_forces,
    ground_state,
    joint_state,
)
from biomech_id.exports.opensim.model import SubjectModel
from biomech_id.readers.opensim.storage import StorageTable
from biomech_id.signal.runs import runs
from biomech_id.values import dataclass

UNITS_NOTE = "Units are S.I. units (second, meters, Newtons, ...)"
KNEE_NOTES = {
    "flexion": "knee_angle: flexion is positive, and so is a moment that flexes (as in Rajagopal 2016)",
    "extension": "knee_angle: extension is positive, and so is a moment that extends (as in gait2392)",
}


@dataclass(frozen=True, eq=False)
class ModelMotion:
    """One trial as the subject's OpenSim model moves in it.

    Attributes
    ----------
    name : str
        Name of the trial.
    time_s : FloatArray
        (n,), times of the frames, s.
    names : tuple[str, ...]
        Of the coordinates, in the model's order.
    rotational : tuple[bool, ...]
        (k,), which of them are angles.
    q : FloatArray
        (n, k), coordinates, rad and m; NaN where not known.
    u : FloatArray
        (n, k), their speeds, rad/s and m/s; NaN where not known.
    du : FloatArray
        (n, k), rates of the speeds, rad/s2 and m/s2; NaN where not known.
    forces : Mapping[str, FloatArray]
        Name of a coordinate -> (n,), N m or N: what the joint exerts; NaN where not known, empty without loads.
    knee_note : str
        Which way the knee counts, in words.
    """

    name: str
    time_s: FloatArray
    names: tuple[str, ...]
    rotational: tuple[bool, ...]
    q: FloatArray
    u: FloatArray
    du: FloatArray
    forces: Mapping[str, FloatArray]
    knee_note: str

    def coordinates(self) -> StorageTable:
        """Coordinates over the longest stretch without a missing one.

        Returns
        -------
        StorageTable
            Angles in degrees, translations in m.
        """
        frames = self._known(self.q)
        values = np.where(self.rotational, np.rad2deg(self.q[frames]), self.q[frames])
        notes = (UNITS_NOTE, "Angles are in degrees.", self.knee_note)
        return StorageTable(f"{self.name} coordinates", self.names, self.time_s[frames], values, True, notes)

    def speeds(self) -> StorageTable:
        """Speeds where accelerations are known too, of the same spline as our inverse dynamics.

        Returns
        -------
        StorageTable
            rad/s and m/s, over the longest stretch.
        """
        frames = self._known(self.du)
        return StorageTable(f"{self.name} speeds", self.names, self.time_s[frames], self.u[frames], False, (self.knee_note,))

    def accelerations(self) -> StorageTable:
        """Accelerations where they are known.

        Returns
        -------
        StorageTable
            rad/s2 and m/s2, over the longest stretch.
        """
        frames = self._known(self.du)
        return StorageTable(
            f"{self.name} accelerations", self.names, self.time_s[frames], self.du[frames], False, (self.knee_note,)
        )

    def joint_forces(self) -> StorageTable:
        """Our inverse dynamics, a column for each coordinate of a leg.

        Returns
        -------
        StorageTable
            N m and N, not normalised; NaN where the ground's action is not known.
        """
        columns = tuple(
            f"{name}_{'moment' if turns else 'force'}"
            for name, turns in zip(self.names, self.rotational, strict=True)
            if name in self.forces
        )
        values = np.column_stack([self.forces[name] for name in self.names if name in self.forces])
        notes = ("N m and N, not normalised; nan where the ground reaction is not known", self.knee_note)
        return StorageTable(f"{self.name} inverse dynamics of biomech-id", columns, self.time_s, values, False, notes)

    def _known(self, values: FloatArray) -> slice:
        stretches = runs(np.asarray(np.isfinite(values).all(axis=1)))
        if not stretches:
            raise MissingInputError(
                f"There is no frame of {self.name} in which every segment is seen; OpenSim needs all coordinates at once.",
                value=0, expected="a stretch of frames with every segment", where=self.name,
            )  # fmt: skip
        return slice(*max(stretches, key=lambda stretch: stretch[1] - stretch[0]))


def model_motion(model: SubjectModel, motion: BodyMotion, loads: JointLoads | None = None) -> ModelMotion:
    """Express a trial's motion, and its joint loads, in the coordinates of the subject's model.

    Parameters
    ----------
    model : SubjectModel
        With the same sides as the motion.
    motion : BodyMotion
        Motion of pelvis and legs in the trial.
    loads : JointLoads | None, optional
        Joint loads of the same trial, or None.

    Returns
    -------
    ModelMotion
        Of all frames; without forces where no loads are given.
    """
    states = body_states(motion)
    ground = ground_state(R_ground_lab(motion), motion.n_frames)
    moved: list[JointState] = []
    forces: dict[str, FloatArray] = {}
    for joint in model.joints:
        parent, child = ground if joint.parent is None else states[joint.parent], states[joint.child]
        state = joint_state(joint, parent, child, model.places_m[joint.name])
        moved.append(state)
        side = joint.child[0]
        if loads is not None and joint.parent is not None:
            load = loads[side, next(name for name in JOINTS if joint.name.startswith(name))]
            forces |= dict(zip(joint.coordinates, generalised_forces(state, parent, child, load.wrench).T, strict=True))
    return ModelMotion(
        name=motion.name,
        time_s=motion.time_s,
        names=tuple(name for joint in model.joints for name in joint.coordinates),
        rotational=(True, True, True, False, False, False) * len(model.joints),
        q=np.hstack([state.q for state in moved]),
        u=np.hstack([state.u for state in moved]),
        du=np.hstack([state.du for state in moved]),
        forces=forces,
        knee_note=KNEE_NOTES["flexion" if any(j.name.startswith("knee") and j.signs[0] < 0 for j in model.joints) else "extension"],
    )


def angle_table(motion: BodyMotion) -> StorageTable:
    """Our own joint angles as an OpenSim table, to be looked at beside its coordinates.

    Parameters
    ----------
    motion : BodyMotion
        Motion of pelvis and legs in the trial.

    Returns
    -------
    StorageTable
        Clinical components, degrees; NaN where not known.
    """
    words = {"pelvis": "Pelvis", "hip": "Hip", "knee": "Knee", "ankle": "Ankle", "foot_progress": "FootProgress"}
    angles = {
        f"{side}{word}Angles.{axis}": motion.joint_angles_rad[side, joint][:, k]
        for side in SIDES for joint, word in words.items() if (side, joint) in motion.joint_angles_rad
        for k, axis in enumerate("XYZ")
    }  # fmt: skip
    values = np.rad2deg(np.column_stack(list(angles.values())))
    return StorageTable(f"{motion.name} joint angles", tuple(angles), motion.time_s, values, True, ("Angles are in degrees.",))
