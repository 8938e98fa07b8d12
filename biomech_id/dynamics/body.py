"""How a body moves and what it weighs: the values that kinematics hands to dynamics.

Frames are right-handed. ``R_lab_seg`` maps components in segment axes to components in laboratory axes; its columns are
the segment's axes written in the laboratory. A NaN frame stays NaN and touches no other frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

import numpy as np

from biomech_id.algebra.arrays import BoolArray, FloatArray, all_finite, float_array, keep_array, readonly_column_major, stacked
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.algebra.html_repr import html_table
from biomech_id.algebra.vectors import cross, matvec
from biomech_id.anatomy import DISTAL_SEGMENT, JOINTS, LEG_SEGMENTS, Part, proximal_part
from biomech_id.arguments import a, a_count, a_quantity, a_str, a_word, holds, or_none, takes
from biomech_id.conventions import SIDES
from biomech_id.dynamics.joint_axes import ModelAxes
from biomech_id.dynamics.muscle_motion import MuscleMotion
from biomech_id.dynamics.window import Window
from biomech_id.errors import InvalidValueError, MissingInputError, ShapeError
from biomech_id.values import dataclass, field, replace

#: Largest departure of R'R from identity (and of det R from one) that still counts as a rotation.
ORTHONORMAL_TOLERANCE = 1e-6
#: Relative slack of the positive semi-definite and triangle tests: massless axes (zero inertia) are allowed.
INERTIA_TOLERANCE = 1e-12
#: Metres: no centre of mass of a segment lies further from its joint, and no radius of gyration is longer; millimetres, centimetres
#: and kg cm2 are.
LONGEST_ARM_M = 3.0


@compact_repr
@dataclass(frozen=True, eq=False)
class Frames:
    """Pose of one segment over time.

    Attributes
    ----------
    R_lab_seg : FloatArray
        (n, 3, 3), segment components to laboratory components.
    origin_lab_m : FloatArray
        (n, 3), origin of the segment frame, metres, laboratory axes.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Frames
    >>> standing = Frames(np.eye(3)[None], np.array([[0.0, 0.0, 0.9]]))
    >>> standing.origin_lab_m
    array([[0. , 0. , 0.9]])
    """

    R_lab_seg: FloatArray
    origin_lab_m: FloatArray

    def __post_init__(self) -> None:
        rotation = keep_array(self, "R_lab_seg", (None, 3, 3), make=readonly_column_major)
        keep_array(self, "origin_lab_m", (len(rotation), 3), make=readonly_column_major)
        seen = all_finite(rotation, (1, 2))
        checked = rotation[seen]
        gram = np.einsum("nji,njk->nik", checked, checked) - np.eye(3)
        wrong = (np.abs(gram).max(axis=(1, 2), initial=0.0) > ORTHONORMAL_TOLERANCE) | (np.linalg.det(checked) < 0)
        if wrong.any():
            frame = int(np.flatnonzero(seen)[np.argmax(wrong)])
            raise InvalidValueError(
                f"The R_lab_seg of frame {frame} is not a right-handed orthonormal triad "
                f"(det R = {np.linalg.det(rotation[frame]):.3g}).",
                value=rotation[frame].tolist(), expected="R'R = 1 within 1e-6 and det R = +1", where=f"frame {frame}",
            )  # fmt: skip

    def __len__(self) -> int:
        return len(self.R_lab_seg)


@holds(name=a_str(), mass_kg=a_quantity(0.0, 400.0, "kg"), source=a_str())
@compact_repr
@dataclass(frozen=True, eq=False)
class Segment:
    """Inertial parameters of one segment, constant or one per frame.

    Attributes
    ----------
    name : str
        "foot", "shank", "thigh" or another of `anatomy.SEGMENTS`.
    mass_kg : float
        Mass in kilograms, at most 400.
    com_m : FloatArray
        (3,) or (n, 3), centre of mass in segment axes, from the segment frame's origin, metres.
    inertia_kgm2 : FloatArray
        (3, 3) or (n, 3, 3), tensor about the centre of mass in segment axes; off-diagonals are matrix entries.
    source : str, optional
        Where the numbers come from, with its citation.

    Examples
    --------
    >>> import numpy as np
    >>> from biomech_id.dynamics.body import Segment
    >>> shank = Segment("shank", 3.2, np.array([0.0, 0.0, 0.18]), np.diag([0.04, 0.04, 0.004]))
    >>> shank.com_m
    array([0.  , 0.  , 0.18])
    """

    name: str
    mass_kg: float
    com_m: FloatArray
    inertia_kgm2: FloatArray
    source: str = ""

    def __post_init__(self) -> None:
        for name, constant in (("com_m", (3,)), ("inertia_kgm2", (3, 3))):
            values = float_array(getattr(self, name), name=name, where=self.name)
            keep_array(self, name, constant if values.ndim <= len(constant) else (None, *constant), where=self.name)
        self._check_size()
        self._check_tensor(self.inertia_kgm2.reshape(-1, 3, 3))

    def _check_size(self) -> None:
        arm_m = float(np.nanmax(np.abs(self.com_m), initial=0.0))
        if arm_m > LONGEST_ARM_M:
            raise InvalidValueError(
                f"The com_m of the {self.name} is {arm_m:.6g} m from the segment's origin: these look like millimetres.",
                value=self.com_m.tolist(), expected=f"metres, at most {LONGEST_ARM_M:g}", where=self.name,
            )  # fmt: skip
        moment = float(np.nanmax(np.abs(self.inertia_kgm2), initial=0.0))
        if self.mass_kg > 0 and moment > self.mass_kg * LONGEST_ARM_M**2:
            raise InvalidValueError(
                f"The inertia_kgm2 of the {self.name} reaches {moment:.6g} kg m2 with {self.mass_kg:g} kg, a radius of gyration of "
                f"{(moment / self.mass_kg) ** 0.5:.3g} m: these look like kg cm2 or kg mm2.",
                value=moment, expected=f"kg m2, a radius of gyration of at most {LONGEST_ARM_M:g} m", where=self.name,
            )  # fmt: skip

    def _check_tensor(self, tensors: FloatArray) -> None:
        tensors = tensors[all_finite(tensors, (1, 2))]
        if not tensors.size:
            return
        scale = float(np.abs(tensors).max())
        if np.abs(tensors - tensors.transpose(0, 2, 1)).max() > INERTIA_TOLERANCE * max(scale, 1e-300):
            raise InvalidValueError(
                f"The inertia tensor of the {self.name} is not symmetric.",
                value=tensors[0].tolist(), expected="I = I' (1e-12 relative)", where=self.name,
            )  # fmt: skip
        principal = np.linalg.eigvalsh(tensors)
        # The triangle inequality of principal moments also implies that none of them is negative.
        slack = principal[:, 0] + principal[:, 1] - principal[:, 2]
        if slack.min() < -INERTIA_TOLERANCE * scale * 10 or principal.min() < -INERTIA_TOLERANCE * scale * 10:
            raise InvalidValueError(
                f"The inertia tensor of the {self.name} is no real body's: its principal moments "
                f"{', '.join(f'{one:.6g}' for one in principal[int(np.argmin(slack))])} kg m2 break the triangle inequality.",
                value=principal[int(np.argmin(slack))].tolist(),
                expected="I1 + I2 >= I3 >= 0, about the centre of mass", where=self.name,
            )  # fmt: skip


#: What a motion holds for each frame beside its pose.
_VECTORS = ("omega_lab_rad_s", "alpha_lab_rad_s2", "com_lab_m", "com_velocity_lab_m_s", "com_acceleration_lab_m_s2")


@holds(frames=a(Frames), segment=or_none(a(Segment)))
@compact_repr
@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of one segment relative to the laboratory; every vector in laboratory axes.

    Attributes
    ----------
    frames : Frames
        Pose in each of n frames.
    omega_lab_rad_s : FloatArray
        (n, 3), angular velocity.
    alpha_lab_rad_s2 : FloatArray
        (n, 3), angular acceleration.
    com_lab_m : FloatArray
        (n, 3), centre of mass. For a segment without inertial parameters (the pelvis) this and the next two are of the frame's
        origin.
    com_velocity_lab_m_s : FloatArray
        (n, 3), velocity of the centre of mass.
    com_acceleration_lab_m_s2 : FloatArray
        (n, 3), acceleration of the centre of mass, gravity not taken off.
    segment : Segment | None, optional
        Whose centre of mass is followed; a body or a chain refuses the motion beside a segment with another one. None where the
        motion was made without a segment.
    """

    frames: Frames
    omega_lab_rad_s: FloatArray
    alpha_lab_rad_s2: FloatArray
    com_lab_m: FloatArray
    com_velocity_lab_m_s: FloatArray
    com_acceleration_lab_m_s2: FloatArray
    segment: Segment | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for name in _VECTORS:
            keep_array(self, name, (len(self.frames), 3), make=readonly_column_major)

    def __len__(self) -> int:
        return len(self.frames)

    def at(self, frames: BoolArray) -> Motion:
        """Keep chosen frames.

        Parameters
        ----------
        frames : BoolArray
            (n,), True for those that are kept.

        Returns
        -------
        Motion
            As many frames as are True. Its ``segment`` is None where the centre of mass changes from frame to frame.
        """
        pose = Frames(self.frames.R_lab_seg[frames], self.frames.origin_lab_m[frames])
        constant = self.segment if self.segment is not None and self.segment.com_m.ndim == 1 else None
        return replace(self, frames=pose, segment=constant, **{name: getattr(self, name)[frames] for name in _VECTORS})

    def check_made_with(self, segment: Segment, where: str) -> None:
        """Refuse a segment whose centre of mass is not the one that is followed here.

        Parameters
        ----------
        segment : Segment
            Inertial parameters that are to be used with this motion.
        where : str
            Trial and segment, for the error message.

        Raises
        ------
        InvalidValueError
            The motion was made with another segment.

        Examples
        --------
        >>> import numpy as np
        >>> from biomech_id.dynamics.body import Frames, Motion, Segment
        >>> rod = Segment("rod", 1.0, np.zeros(3), np.eye(3))
        >>> still = Motion(Frames(np.eye(3)[None], np.zeros((1, 3))), *[np.zeros((1, 3))] * 5, segment=rod)
        >>> still.check_made_with(rod, "rod")
        """
        own = self.segment
        if own is None or own is segment or np.array_equal(own.com_m, segment.com_m, equal_nan=True):
            return
        raise InvalidValueError(
            f"{where}: the com_m of the segment is {_in_brief(segment.com_m)} m, but its motion was made with "
            f"{_in_brief(own.com_m)} m. BodyMotion.with_segment changes both.",
            value=segment.com_m.tolist(), expected="the segment that the motion was made with", where=where,
        )  # fmt: skip

    def velocity_of(self, point_lab_m: FloatArray) -> FloatArray:
        """Velocity of the segment's material point that is at a given place.

        Parameters
        ----------
        point_lab_m : FloatArray
            (n, 3), laboratory axes, metres.

        Returns
        -------
        FloatArray
            (n, 3), m/s, laboratory axes.
        """
        arm = point_lab_m - self.com_lab_m
        return np.asarray(self.com_velocity_lab_m_s + np.cross(self.omega_lab_rad_s, arm))


def _in_brief(com_m: FloatArray) -> str:
    """A centre of mass in a sentence; of one that changes from frame to frame its mean."""
    return ", ".join(f"{value:.4g}" for value in com_m.reshape(-1, 3).mean(axis=0))


@compact_repr
@dataclass(frozen=True, eq=False)
class MotionStack(Sequence[Motion]):
    """The motions of n segments side by side, so that one array operation serves all of them.

    Frames come first in meaning; in memory the arrays are column-major: one component of one segment over all frames is
    contiguous (see `biomech_id.algebra.vectors`). The motions' own arrays become parts of it: nothing lies in memory twice.

    Attributes
    ----------
    motions : Sequence[Motion]
        n `Motion` of N frames each.
    R_lab_seg : FloatArray, optional
        (N, n, 3, 3), segment components to laboratory components.
    omega_lab_rad_s : FloatArray, optional
        (N, n, 3), angular velocities, laboratory axes.
    alpha_lab_rad_s2 : FloatArray, optional
        (N, n, 3), angular accelerations, laboratory axes.
    com_lab_m : FloatArray, optional
        (N, n, 3), centres of mass, laboratory axes.
    com_acceleration_lab_m_s2 : FloatArray, optional
        (N, n, 3), accelerations of the centres of mass, laboratory axes.

    Raises
    ------
    ShapeError
        Motions of different length; the message names them.
    """

    motions: Sequence[Motion]
    R_lab_seg: FloatArray = field(init=False, repr=False)
    omega_lab_rad_s: FloatArray = field(init=False, repr=False)
    alpha_lab_rad_s2: FloatArray = field(init=False, repr=False)
    com_lab_m: FloatArray = field(init=False, repr=False)
    com_acceleration_lab_m_s2: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        lengths = [len(motion) for motion in self.motions]
        if len(set(lengths)) != 1:
            raise ShapeError(
                f"Motions of {lengths} frames cannot be stacked.",
                value=lengths,
                expected="one number of frames",
                where="MotionStack",
            )
        object.__setattr__(self, "motions", tuple(self.motions))
        self._stack("R_lab_seg", [motion.frames for motion in self.motions])
        for name in ("omega_lab_rad_s", "alpha_lab_rad_s2", "com_lab_m", "com_acceleration_lab_m_s2"):
            self._stack(name, self.motions)

    def _stack(self, name: str, parts: Sequence[Motion | Frames]) -> None:
        stack = stacked([getattr(part, name) for part in parts])
        object.__setattr__(self, name, stack)
        for i, part in enumerate(parts):
            object.__setattr__(part, name, stack[:, i])

    def __len__(self) -> int:
        return len(self.motions)

    @overload
    def __getitem__(self, index: int) -> Motion: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Motion]: ...
    def __getitem__(self, index: int | slice) -> Motion | Sequence[Motion]:
        return self.motions[index]


@compact_repr
@dataclass(frozen=True, eq=False)
class WholeBody:
    """Every mass of the body, and their common centre.

    Attributes
    ----------
    segments : Mapping[Part, Segment]
        Every part of `anatomy.BODY_PARTS` -> its inertial parameters.
    motions : Mapping[Part, Motion]
        The same -> its motion, made with that segment.
    com_lab_m, com_velocity_lab_m_s, com_acceleration_lab_m_s2 : FloatArray
        (n, 3), centre of mass of the whole body, laboratory axes.
    vendor : bool, optional
        Whether that centre is the one a vendor's software would store, and not the masses' own.
    """

    segments: Mapping[Part, Segment]
    motions: Mapping[Part, Motion]
    com_lab_m: FloatArray
    com_velocity_lab_m_s: FloatArray
    com_acceleration_lab_m_s2: FloatArray
    vendor: bool = False

    @property
    def mass_kg(self) -> float:
        """Sum of the masses."""
        return sum(segment.mass_kg for segment in self.segments.values())


@holds(
    name=a_str(), rate_hz=a_quantity(1.0, 1e6, "Hz"), first_frame=a_count(0), motions=a(Mapping), segments=a(Mapping),
    joint_centres_lab_m=a(Mapping), joint_angles_rad=a(Mapping), kinetics=a_str(),
)  # fmt: skip
@compact_repr
@dataclass(frozen=True, eq=False)
class BodyMotion:
    """What tracking a trial yields: the pelvis, both legs, what is seen above them, joint centres and joint angles.

    Attributes
    ----------
    name : str
        The trial's name, as error messages and reports write it.
    rate_hz : float
        Video frames per second.
    first_frame : int
        The recording's own number of the first frame; frame 1 is at 0 s.
    motions : Mapping[tuple[str, str], Motion]
        ("", "pelvis") and (side, "thigh" | "shank" | "foot"), and further `anatomy.SEGMENTS` that are seen -> Motion.
    segments : Mapping[tuple[str, str], Segment]
        (side, "thigh" | "shank" | "foot"), and whichever of those further parts have a mass -> Segment.
    joint_centres_lab_m : Mapping[tuple[str, str], FloatArray]
        (side, joint) -> (n, 3), metres; of those in the middle ("", "waist" | "neck").
    joint_angles_rad : Mapping[tuple[str, str], FloatArray]
        (side, joint or segment) -> (n, 3), clinical components X, Y, Z with the signs of `conventions.SIGN_TABLE` and
        `conventions.UPPER_BODY_TABLE`.
    foot_outline_lab_m : Mapping[str, FloatArray], optional
        Side -> (n, k, 3), points of the foot's outline, in order around it.
    foot_outline_names : tuple[str, ...], optional
        Names of the k points of ``foot_outline_lab_m``.
    progression_R_lab : FloatArray, optional
        (3, 3), X along progression, Z up: the frame that pelvis and foot progression angles refer to.
    model : str, optional
        Name of the body model, as recipes write it.
    kinetics : str, optional
        "textbook" or "vicon": whose way of differentiating and of placing masses it follows.
    roles : Mapping[tuple[str, str], str], optional
        (side, role) -> label of the marker that has it in the tracked recording (see `Markers`).
    axes : ModelAxes | None, optional
        In which the model expresses angles, moments and forces; None for a body that is not read clinically.
    fit_residual_m : Mapping[tuple[str, str], FloatArray], optional
        (side, segment) -> (n,), root mean square distance between a segment's markers and the rigid cluster fitted to them, metres;
        empty for a model that does not fit clusters.
    whole : WholeBody | None, optional
        Every mass of the body and their centre; None where a part of it is not seen.
    pelvis_mass : Motion | None, optional
        The pelvis following its centre of mass, made with its Segment; its entry of ``motions`` follows the frame's origin.
    lacks : Mapping[tuple[str, str], tuple[str, ...]], optional
        Part that could not be placed -> the markers and measurements that it lacks, in words.
    joint_slides_lab_m_s : Mapping[tuple[str, str], FloatArray], optional
        (side, joint) -> (n, 3), velocity of the joint centre within the segment above, as the model's joint makes it, laboratory
        axes; a joint that is not here has its centre fixed in both segments.
    muscles : MuscleMotion | None, optional
        Lengths and moment arms, of a model that has muscles.
    model_markers_lab_m : Mapping[str, FloatArray], optional
        Label of each marker that an OpenSim model follows -> (n, 3), where the model has it, metres; empty for other models.
    model_joints_lab_m : Mapping[tuple[str, str], FloatArray], optional
        (body, body that it bears) of an OpenSim model -> (n, 3), the joint between the two, metres; (body, "") of one that bears
        none -> its centre of mass. Empty for other models.

    Raises
    ------
    MissingInputError
        A segment without its parent.
    ShapeError
        Parts of different length.
    InvalidValueError
        A segment that its motion was not made with (see `with_segment`).
    """

    name: str
    rate_hz: float
    first_frame: int
    motions: Mapping[tuple[str, str], Motion]
    segments: Mapping[tuple[str, str], Segment]
    joint_centres_lab_m: Mapping[tuple[str, str], FloatArray]
    joint_angles_rad: Mapping[tuple[str, str], FloatArray]
    foot_outline_lab_m: Mapping[str, FloatArray] = field(default_factory=dict)
    foot_outline_names: tuple[str, ...] = ()
    progression_R_lab: FloatArray = field(default_factory=lambda: np.eye(3))
    model: str = ""
    kinetics: str = "textbook"
    roles: Mapping[tuple[str, str], str] = field(default_factory=dict)
    axes: ModelAxes | None = None
    fit_residual_m: Mapping[tuple[str, str], FloatArray] = field(default_factory=dict)
    whole: WholeBody | None = None
    pelvis_mass: Motion | None = None
    lacks: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    joint_slides_lab_m_s: Mapping[tuple[str, str], FloatArray] = field(default_factory=dict)
    muscles: MuscleMotion | None = None
    model_markers_lab_m: Mapping[str, FloatArray] = field(default_factory=dict)
    model_joints_lab_m: Mapping[tuple[str, str], FloatArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lengths = {key: len(motion) for key, motion in self.motions.items()}
        lengths |= {key: len(centre) for key, centre in self.joint_centres_lab_m.items()}
        if len(set(lengths.values())) > 1:
            raise ShapeError(
                f"The parts of {self.name} have different numbers of frames: {lengths}.",
                value=lengths, expected="one number of frames", where=self.name,
            )  # fmt: skip
        for side in self.sides:
            for joint in JOINTS:
                self._check_parent(side, joint)
        for part in self.segments.keys() & self.motions.keys():
            self.motions[part].check_made_with(self.segments[part], f"{self.name}, {' '.join(part)}")

    @takes(side=a_word(SIDES), segment=a(Segment))
    def with_segment(self, side: str, segment: Segment) -> BodyMotion:
        """Replace a segment of one leg by another one of the same name.

        Parameters
        ----------
        side : str
            "L" or "R", the leg whose segment is replaced.
        segment : Segment
            Mass, centre of mass and tensor to be used; constant, as the one in its place.

        Returns
        -------
        BodyMotion
            A new motion; that segment's `Motion` follows the new centre of mass.

        Raises
        ------
        InvalidValueError
            The leg has no segment of that name, or one of the two changes from frame to frame: the body has to be tracked anew.
        """
        part = (side, segment.name)
        before = self.segments.get(part)
        if before is None or before.com_m.ndim > 1 or segment.com_m.ndim > 1:
            raise InvalidValueError(
                f"{self.name} has no constant segment {' '.join(part)} that could be changed.",
                value=segment.name, expected=f"one of {', '.join(' '.join(each) for each in self.segments)}", where=self.name,
            )  # fmt: skip
        old = self.motions[part]
        arm = matvec(old.frames.R_lab_seg, segment.com_m - before.com_m)
        swing = cross(old.omega_lab_rad_s, arm)
        com, velocity = old.com_lab_m + arm, old.com_velocity_lab_m_s + swing
        acceleration = old.com_acceleration_lab_m_s2 + cross(old.alpha_lab_rad_s2, arm) + cross(old.omega_lab_rad_s, swing)
        moved = Motion(old.frames, old.omega_lab_rad_s, old.alpha_lab_rad_s2, com, velocity, acceleration, segment=segment)
        return replace(self, motions={**self.motions, part: moved}, segments={**self.segments, part: segment})

    def _check_parent(self, side: str, joint: str) -> None:
        distal = (side, DISTAL_SEGMENT[joint])
        proximal = proximal_part(side, joint)
        if distal in self.motions and (proximal not in self.motions or (side, joint) not in self.joint_centres_lab_m):
            raise MissingInputError(
                f"{self.name} has the {side} {DISTAL_SEGMENT[joint]} but not the {proximal[1]} or the {joint} centre it hangs on.",
                value=sorted(self.motions), expected=f"the {proximal[1]} and the {joint} centre", where=self.name,
            )  # fmt: skip

    @property
    def model_axes(self) -> ModelAxes:
        """The axes in which the body model expresses angles, moments and forces.

        Raises
        ------
        MissingInputError
            The motion does not say; no other axes are taken in their place.
        """
        if self.axes is None:
            raise MissingInputError(
                f"{self.name}: the body model {self.model or 'without a name'} does not say in which axes it expresses moments.",
                value=self.model, expected="BodyMotion(axes=...), as every registered model gives it", where=self.name,
            )  # fmt: skip
        return self.axes

    def _repr_html_(self) -> str:
        rows = [(" ".join(filter(None, key)), *np.degrees(angles).T) for key, angles in self.joint_angles_rad.items()]
        facts = {"frames": self.n_frames, "Hz": f"{self.rate_hz:g}", "model": self.model}
        return html_table(f"BodyMotion {self.name}", facts, rows, ("joint, deg", "X", "Y", "Z"))

    @property
    def n_frames(self) -> int:
        """Number of video frames."""
        return len(next(iter(self.motions.values())))

    @property
    def window(self) -> Window | None:
        """Which frames of which recording it is; None for a body that was made of somebody's own arrays."""
        return None

    @cached_property
    def time_s(self) -> FloatArray:
        """Absolute time of every frame, (n,), seconds:
        frame 1 is at 0.
        """
        return np.asarray((self.first_frame - 1 + np.arange(self.n_frames)) / self.rate_hz)

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that have a foot."""
        return tuple(side for side in SIDES if (side, "foot") in self.motions)

    @cached_property
    def legs(self) -> MotionStack:
        """Foot, shank and thigh of each of `sides`, stacked once and kept."""
        return MotionStack([self.motions[side, segment] for side in self.sides for segment in LEG_SEGMENTS])

    def parent_of(self, side: str, joint: str) -> Motion:
        """Motion of the segment proximal to a joint.

        Parameters
        ----------
        side : str
            "L" or "R", the leg of the joint.
        joint : str
            "ankle", "knee" or "hip".

        Returns
        -------
        Motion
            Of the shank for the ankle, the thigh for the knee, the pelvis for the hip.
        """
        return self.motions[proximal_part(side, joint)]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.motions)


@holds(side=a_word(SIDES))
@compact_repr
@dataclass(frozen=True, eq=False)
class FootContact:
    """The ground's wrench on one foot, at the video rate, and where it is known.

    Attributes
    ----------
    side : str
        "L" or "R", whose foot it is.
    force_lab_N : FloatArray
        (n, 3), force of the ground on the foot, laboratory axes; zero in swing.
    moment_lab_Nm : FloatArray
        (n, 3), its moment about the laboratory's origin, laboratory axes; zero in swing.
    known : BoolArray
        (n,), False where the foot is or may be on the ground without an accepted plate: kinetics are missing there, never guessed.
    to_the_ends : bool, optional
        Whether a leg that bears this force as the recording begins or ends is solved there too (`newton_euler.bearing_ends`): in
        files that name the foot of every force, and are cut to what is to be solved.
    window : Window | None, optional
        Which frames of which recording it is; None for a wrench of somebody's own.
    """

    side: str
    force_lab_N: FloatArray
    moment_lab_Nm: FloatArray
    known: BoolArray
    to_the_ends: bool = False
    window: Window | None = None

    def __post_init__(self) -> None:
        where = f"FootContact {self.side}"
        force = keep_array(self, "force_lab_N", (None, 3), where=where, make=readonly_column_major)
        keep_array(self, "moment_lab_Nm", force.shape, where=where, make=readonly_column_major)
        known = np.asarray(self.known, dtype=np.bool_)
        if known.shape != (len(force),):
            raise ShapeError(
                f"known of the {self.side} foot has shape {known.shape}, the force {force.shape}.",
                value=known.shape, expected=f"({len(force)},)", where=where,
            )  # fmt: skip
        known = known.copy()
        known.flags.writeable = False
        object.__setattr__(self, "known", known)
