"""What is exactly known about one recording of the virtual subject."""

from __future__ import annotations

from collections.abc import Mapping

from biomech_id.sample.arrays import FloatArray
from biomech_id.trial import Event
from biomech_id.values import dataclass, field


@dataclass(frozen=True)
class TrueStance:
    """One foot on the floor.

    Attributes
    ----------
    side : str
        Whose foot, "L" or "R".
    strike_s : float
        Foot strike, absolute seconds; may lie outside the recording.
    off_s : float
        Foot off, absolute seconds; may lie outside the recording.
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
        Name of the channel.
    muscle : str
        Name of the muscle.
    side : str
        Whose muscle, "L" or "R".
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
        Which end of the crutches or walker.
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
class TrueUpperBody:
    """Exact values above the legs, and of the body as a whole, at every video frame; SI, laboratory axes.

    Attributes
    ----------
    joint_centres_lab_m : Mapping[tuple[str, str], FloatArray]
        (side, "shoulder" | "elbow" | "wrist") and ("", "waist" | "neck") -> (n, 3).
    R_lab_seg, omega_lab_rad_s : Mapping[tuple[str, str], FloatArray]
        ("", "pelvis" | "thorax" | "head") and (side, "humerus" | "radius" | "hand") -> (n, 3, 3) and (n, 3).
    joint_force_lab_N, joint_moment_lab_Nm : Mapping[tuple[str, str], FloatArray]
        The joints' keys -> (n, 3): action of the trunk's side on the arm's; of trunk on pelvis, and of head on trunk as the floor's
        forces leave it over. Moments about the joint centre.
    segment_mass_kg : Mapping[tuple[str, str], float]
        The segments' keys -> mass.
    segment_inertia_kgm2 : Mapping[tuple[str, str], FloatArray]
        The segments' keys -> (3, 3), about the centre of mass, segment axes.
    head_offset_rad : float
        What a static trial must teach.
    com_lab_m : FloatArray
        (n, 3), centre of mass of the whole body.
    momentum_lab_kg_m_s : FloatArray
        (n, 3), of the whole body.
    angular_momentum_lab_kgm2_s : FloatArray
        (n, 3), of the whole body about its centre of mass.
    residual_force_lab_N, residual_moment_lab_Nm : FloatArray
        (n, 3), what the floor does beyond what the momenta's rates and gravity ask for, the moment about the centre of mass; zero
        for a subject in balance.
    """

    joint_centres_lab_m: Mapping[tuple[str, str], FloatArray]
    R_lab_seg: Mapping[tuple[str, str], FloatArray]
    omega_lab_rad_s: Mapping[tuple[str, str], FloatArray]
    joint_force_lab_N: Mapping[tuple[str, str], FloatArray]
    joint_moment_lab_Nm: Mapping[tuple[str, str], FloatArray]
    segment_mass_kg: Mapping[tuple[str, str], float]
    segment_inertia_kgm2: Mapping[tuple[str, str], FloatArray]
    head_offset_rad: float
    com_lab_m: FloatArray
    momentum_lab_kg_m_s: FloatArray
    angular_momentum_lab_kgm2_s: FloatArray
    residual_force_lab_N: FloatArray
    residual_moment_lab_Nm: FloatArray


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
        ("", "pelvis") and (side, "thigh"
    origin_lab_m : Mapping[tuple[str, str], FloatArray]
        The same keys -> (n, 3), the joint centre at the segment's distal end (thigh: knee; shank and foot: ankle), of the pelvis
        the middle of the ASIS markers.
    omega_lab_rad_s : Mapping[tuple[str, str], FloatArray]
        The same keys -> (n, 3).
    joint_angles_rad : Mapping[tuple[str, str], FloatArray]
        (side, "pelvis" | "hip" | "knee" | "ankle" | "foot_progress") -> (n, 3), clinical components.
    joint_force_lab_N : Mapping[tuple[str, str], FloatArray]
        (side, joint) -> (n, 3), of the proximal on the distal segment.
    joint_moment_lab_Nm : Mapping[tuple[str, str], FloatArray]
        (side, joint) -> (n, 3), of the proximal on the distal segment, about the joint centre.
    joint_moment_distal_Nm : Mapping[tuple[str, str], FloatArray]
        The same moment in the axes of the segment distal to the joint.
    power_rotational_W : Mapping[tuple[str, str], FloatArray]
        (side, joint) -> (n,), moment times relative angular velocity.
    power_translational_W : Mapping[tuple[str, str], FloatArray]
        (side, joint) -> (n,), force times relative velocity at the joint centre.
    ground_force_lab_N : Mapping[str, FloatArray]
        Side -> (n, 3), the floor's force on the foot.
    ground_moment_lab_Nm : Mapping[str, FloatArray]
        Side -> (n, 3), its moment about the laboratory's origin.
    centre_of_pressure_lab_m : Mapping[str, FloatArray]
        Side -> (n, 3), NaN without force.
    free_moment_Nm : Mapping[str, FloatArray]
        Side -> (n,), of the floor on the foot, about the normal of the floor through the centre of pressure.
    segment_mass_kg : Mapping[tuple[str, str], float]
        (side, segment) -> mass.
    segment_com_m : Mapping[tuple[str, str], FloatArray]
        (side, segment) -> (3,), centre of mass from the segment's origin, segment axes.
    segment_inertia_kgm2 : Mapping[tuple[str, str], FloatArray]
        (side, segment) -> (3, 3), about the centre of mass, segment axes.
    static_plantar_flexion_rad : Mapping[str, float]
        Side -> the foot's static offset in plantar flexion.
    static_rotation_offset_rad : Mapping[str, float]
        Side -> the foot's static offset in rotation.
    foot_length_m : Mapping[str, float]
        Side -> distance from toe to heel marker less one marker radius.
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
    upper : TrueUpperBody | None, optional
        Trunk, head and arms, and the whole body; None where their markers are not worn.
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
    upper: TrueUpperBody | None = None
    spatiotemporal: Mapping[str, float] = field(default_factory=dict)
