"""What is exactly known about one recording of the virtual subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from biomech_id.sample.arrays import FloatArray
from biomech_id.trial import Event


@dataclass(frozen=True)
class TrueStance:
    """One foot on the floor.

    Attributes
    ----------
    side : str
        "L" or "R".
    strike_s : float
        Absolute seconds on the recording's clock; may lie outside the recording.
    off_s : float
        Absolute seconds on the recording's clock; may lie outside the recording.
    plates : tuple[str, ...]
        Names of the plates that carry any of its force while recording.
    heel_m : FloatArray
        (3,), the heel marker while the foot is flat, laboratory axes at t = 0 of a belt.
    yaw_rad : float
        Direction of the foot on the floor, from laboratory x about z.
    """

    side: str
    strike_s: float
    off_s: float
    plates: tuple[str, ...]
    heel_m: FloatArray
    yaw_rad: float


@dataclass(frozen=True, eq=False)
class TrueMuscle:
    """One channel of muscle signals.

    Attributes
    ----------
    label : str
        Of the channel.
    muscle : str
        Name of the muscle.
    side : str
        "L" or "R".
    kind : str
        What it holds: "live", "dead" or "hum".
    bursts_s : tuple[tuple[float, float], ...]
        On and off, absolute seconds; none where it is not live.
    envelope_V : FloatArray
        (n_samples,), expected absolute value of the signal.
    """

    label: str
    muscle: str
    side: str
    kind: str
    bursts_s: tuple[tuple[float, float], ...]
    envelope_V: FloatArray


@dataclass(frozen=True, eq=False)
class TrueAid:
    """One end of a crutch or a walker.

    Attributes
    ----------
    name : str
        Which one.
    plates : tuple[str, ...]
        Names of the plates that carry any of its force while recording.
    force_lab_N : FloatArray
        (n, 3), the floor's action on it; zero while it is off the floor.
    point_lab_m : FloatArray
        (n, 3), where that acts; NaN while it is off the floor.
    """

    name: str
    plates: tuple[str, ...]
    force_lab_N: FloatArray
    point_lab_m: FloatArray


@dataclass(frozen=True, eq=False)
class Truth:
    """Exact values at every video frame; SI, laboratory axes unless said otherwise.

    Attributes
    ----------
    time_s : FloatArray
        (n,), absolute seconds: (frame number - 1) / rate.
    joint_centres_lab_m : Mapping[tuple[str, str], FloatArray]
        (side, "hip" | "knee" | "ankle") -> (n, 3).
    R_lab_seg : Mapping[tuple[str, str], FloatArray]
        ("", "pelvis") and (side, "thigh" | "shank" | "foot") -> (n, 3, 3) and (n, 3); origins are the joint centre at the segment's
        distal end (thigh: knee; shank and foot: ankle) and the middle of the ASIS markers.
    origin_lab_m : Mapping[tuple[str, str], FloatArray]
        ("", "pelvis") and (side, "thigh" | "shank" | "foot") -> (n, 3, 3) and (n, 3); origins are the joint centre at the segment's
        distal end (thigh: knee; shank and foot: ankle) and the middle of the ASIS markers.
    omega_lab_rad_s : Mapping[tuple[str, str], FloatArray]
        The same keys -> (n, 3).
    joint_angles_rad : Mapping[tuple[str, str], FloatArray]
        (side, "pelvis" | "hip" | "knee" | "ankle" | "foot_progress") -> (n, 3), clinical components.
    joint_force_lab_N : Mapping[tuple[str, str], FloatArray]
        (side, joint) -> (n, 3), action of the proximal on the distal segment, moment about the joint centre.
    joint_moment_lab_Nm : Mapping[tuple[str, str], FloatArray]
        (side, joint) -> (n, 3), action of the proximal on the distal segment, moment about the joint centre.
    joint_moment_distal_Nm : Mapping[tuple[str, str], FloatArray]
        The same moment in the axes of the segment distal to the joint.
    power_rotational_W : Mapping[tuple[str, str], FloatArray]
        (side, joint) -> (n,).
    power_translational_W : Mapping[tuple[str, str], FloatArray]
        (side, joint) -> (n,).
    ground_force_lab_N : Mapping[str, FloatArray]
        Side -> (n, 3), the floor's action on the foot; moment about the laboratory's origin.
    ground_moment_lab_Nm : Mapping[str, FloatArray]
        Side -> (n, 3), the floor's action on the foot; moment about the laboratory's origin.
    centre_of_pressure_lab_m : Mapping[str, FloatArray]
        Side -> (n, 3), NaN without force; free_moment_Nm : side -> (n,), about the vertical there.
    free_moment_Nm : Mapping[str, FloatArray]
        Side -> (n,), of the floor on the foot, about the normal of the floor through the centre of pressure.
    segment_mass_kg : Mapping[tuple[str, str], float]
        (side, segment) -> mass, centre of mass (3,) and central tensor (3, 3) in segment axes from the segment's origin.
    segment_com_m : Mapping[tuple[str, str], FloatArray]
        (side, segment) -> mass, centre of mass (3,) and central tensor (3, 3) in segment axes from the segment's origin.
    segment_inertia_kgm2 : Mapping[tuple[str, str], FloatArray]
        (side, segment) -> mass, centre of mass (3,) and central tensor (3, 3) in segment axes from the segment's origin.
    static_plantar_flexion_rad : Mapping[str, float]
        Side -> the foot's static values.
    static_rotation_offset_rad : Mapping[str, float]
        Side -> the foot's static values.
    foot_length_m : Mapping[str, float]
        Side -> the foot's static values.
    progression_R_lab : FloatArray
        (3, 3), x the laboratory axis of progression, z up.
    events : tuple[Event, ...], optional
        Foot strikes and foot offs within the recording.
    stances : tuple[TrueStance, ...], optional
        Every stance that overlaps the recording, in order of time.
    muscles : tuple[TrueMuscle, ...], optional
        Channels of muscle signals; none where nobody wears electrodes.
    aids : tuple[TrueAid, ...], optional
        Ends of crutches or of a walker; none for who walks without.
    spatiotemporal : Mapping[str, float], optional
        Parameter -> value, SI, of the steady straight gait (empty when standing): ``speed_m_s``, ``belt_m_s``, ``cycle_s``,
        ``stride_length_m``, ``step_length_L_m``, ``step_length_R_m`` (that foot ahead), ``step_width_m``,
        ``cadence_steps_per_min``, ``foot_off_percent`` (only where the legs agree), ``foot_off_L_percent``,
        ``foot_off_R_percent``, ``double_support_percent`` (both phases together).
    """

    time_s: FloatArray
    joint_centres_lab_m: Mapping[tuple[str, str], FloatArray]
    R_lab_seg: Mapping[tuple[str, str], FloatArray]
    origin_lab_m: Mapping[tuple[str, str], FloatArray]
    omega_lab_rad_s: Mapping[tuple[str, str], FloatArray]
    joint_angles_rad: Mapping[tuple[str, str], FloatArray]
    joint_force_lab_N: Mapping[tuple[str, str], FloatArray]
    joint_moment_lab_Nm: Mapping[tuple[str, str], FloatArray]
    joint_moment_distal_Nm: Mapping[tuple[str, str], FloatArray]
    power_rotational_W: Mapping[tuple[str, str], FloatArray]
    power_translational_W: Mapping[tuple[str, str], FloatArray]
    ground_force_lab_N: Mapping[str, FloatArray]
    ground_moment_lab_Nm: Mapping[str, FloatArray]
    centre_of_pressure_lab_m: Mapping[str, FloatArray]
    free_moment_Nm: Mapping[str, FloatArray]
    segment_mass_kg: Mapping[tuple[str, str], float]
    segment_com_m: Mapping[tuple[str, str], FloatArray]
    segment_inertia_kgm2: Mapping[tuple[str, str], FloatArray]
    static_plantar_flexion_rad: Mapping[str, float]
    static_rotation_offset_rad: Mapping[str, float]
    foot_length_m: Mapping[str, float]
    progression_R_lab: FloatArray
    events: tuple[Event, ...] = ()
    stances: tuple[TrueStance, ...] = ()
    muscles: tuple[TrueMuscle, ...] = ()
    aids: tuple[TrueAid, ...] = ()
    spatiotemporal: Mapping[str, float] = field(default_factory=dict)
