"""How the virtual subject walks: every constant of its gait, in dimensionless form.

Times are fractions of the gait cycle from foot strike; lengths are fractions of leg length. The constants were chosen so that hip,
knee and ankle come close to the published extrema and their timing in typically developing children (Schwartz et al. 2008, J
Biomech 41:1639) as far as a leg of rigid bones allows, with small loads in swing.
"""

from __future__ import annotations

from biomech_id.values import dataclass

#: From and to, as fractions of a stride; a stride's neighbours reach below 0 and beyond 1.
Span = tuple[float, float]


@dataclass(frozen=True)
class AidTip:
    """One end of a crutch or of a walker, which is set down once a stride.

    Attributes
    ----------
    name : str
        Which one it is.
    stands : Span
        When it stands on the floor, counted from the left strike.
    ahead : float
        How far ahead of the body in the middle of that time, of leg length.
    aside : float
        How far to the left of the way, of leg length.
    share : float
        The most that it carries, of body weight.
    """

    name: str
    stands: Span
    ahead: float
    aside: float
    share: float


@dataclass(frozen=True)
class GaitPattern:
    """Constants of one way of moving: `WALK`, or `RUN` at an easy pace.

    Attributes
    ----------
    foot_off : float
        End of stance, in cycles after the strike.
    stride : float
        Stride length over leg length at the reference speed; it grows with the square root of speed.
    froude_speed : float
        That reference speed, v / sqrt(g leg length).
    heel_pitch_rad : float
        Largest toes-up angle of the heel rocker.
    heel_rise : Span
        When the heel rocker's angle is taken up, before the strike.
    heel_fall : Span
        When the foot comes down flat.
    toe_pitch_rad : float
        Largest toes-down angle of the toe rocker.
    toe_rise : Span
        When the heel leaves the floor and that angle is taken up.
    toe_fall : Span
        When the toes are lifted again, until mid-swing.
    swing : Span
        When the foot travels to its next place.
    swing_ramps : tuple[float, float]
        Shares of that time in which it gathers and loses speed.
    lift : Span
        When the foot clears the floor in addition.
    lift_height : float
        By how much it does, of leg length.
    ankle_turn_rise : Span
        When the shank stops following the line of progression over a foot turned out.
    ankle_turn_fall : Span
        When it follows that line again.
    place : float
        When in stance the pelvis passes over the ankle.
    height : tuple[float, ...]
        Harmonics 2, 4 and 6 of the pelvis height (cos, sin, cos, sin, cos, sin), of leg length.
    surge : tuple[float, ...]
        The same of its forward position.
    sway : float
        Lateral amplitude (sine of the stride), of leg length, towards the stance foot.
    tilt_rad : float
        Mean forward tilt of the pelvis.
    tilt_swing_rad : float
        Amplitude of that tilt, twice a stride.
    obliquity_rad : float
        Amplitude of pelvic obliquity.
    rotation_rad : float
        Amplitude of pelvic rotation.
    knee_rotation_rad : float
        Amplitude of axial knee rotation.
    least_knee_flexion_rad : float
        The mean pelvis height is such that the knee never extends further than this.
    load_swing : float
        Amplitude a of both feet's vertical force, body weight times 1 + a cos(4 pi (phase - peak)).
    load_peak : float
        Phase of that force's peak, in cycles.
    pivot : float
        Height, in leg lengths, of the point above the pelvis through which each foot's force passes.
    cop_travel : Span
        When the centre of pressure travels from heel to toe.
    climb : Span, optional
        When a foot is lifted onto a higher level, off the floor.
    drop : Span, optional
        When it is lowered onto a lower one.
    deep_knees : bool, optional
        Whether knees bend to a right angle and beyond: axial knee rotation is then counted about the thigh, because the last of the
        knee's Cardan angles does not place a thigh that is seen at a right angle to the shank.
    lift_smoothness : int, optional
        The clearance has one continuous derivative less than this; the fewer, the faster the foot comes down.
    equinus_rad : float, optional
        Toes-down angle of the foot that never goes: the heel does not reach the floor.
    right : GaitPattern | None, optional
        How the right leg moves, where it moves otherwise than the left: its feet, timing and knee rotation; what is said of the
        pelvis and of both legs is the left one's.
    right_strike : float, optional
        When the right foot strikes, in cycles after the left one.
    aids : tuple[AidTip, ...], optional
        Ends of crutches or of a walker, which carry their share of the weight.
    """

    foot_off: float
    stride: float
    froude_speed: float
    heel_pitch_rad: float
    heel_rise: Span
    heel_fall: Span
    toe_pitch_rad: float
    toe_rise: Span
    toe_fall: Span
    swing: Span
    swing_ramps: tuple[float, float]
    lift: Span
    lift_height: float
    ankle_turn_rise: Span
    ankle_turn_fall: Span
    place: float
    height: tuple[float, ...]
    surge: tuple[float, ...]
    sway: float
    tilt_rad: float
    tilt_swing_rad: float
    obliquity_rad: float
    rotation_rad: float
    knee_rotation_rad: float
    least_knee_flexion_rad: float
    load_swing: float
    load_peak: float
    pivot: float
    cop_travel: Span
    climb: Span = (0.62, 0.88)
    drop: Span = (0.70, 1.0)
    deep_knees: bool = False
    lift_smoothness: int = 5
    equinus_rad: float = 0.0
    right: GaitPattern | None = None
    right_strike: float = 0.5
    aids: tuple[AidTip, ...] = ()

    def of(self, side: str) -> GaitPattern:
        """How the leg of one side moves.

        Parameters
        ----------
        side : str
            Whose leg, "L" or "R".

        Returns
        -------
        GaitPattern
            The pattern itself, or its ``right``.
        """
        return self.right if side == "R" and self.right is not None else self

    def strike(self, side: str) -> float:
        """When the foot of one side strikes, in cycles after the left one.

        Parameters
        ----------
        side : str
            Whose leg, "L" or "R".

        Returns
        -------
        float
            0 for the left foot.
        """
        return self.right_strike if side == "R" else 0.0

    def other_strike(self, side: str) -> float:
        """When the other foot strikes, in cycles after this side's.

        Parameters
        ----------
        side : str
            Whose leg, "L" or "R".

        Returns
        -------
        float
            Between 0 and 1.
        """
        return 1.0 - self.right_strike if side == "R" else self.right_strike


#: How an adult walks.
WALK = GaitPattern(
    foot_off=0.62, stride=1.395, froude_speed=0.414,
    heel_pitch_rad=0.471, heel_rise=(0.829, 0.998), heel_fall=(0.901, 1.065),
    toe_pitch_rad=1.573, toe_rise=(0.308, 0.850), toe_fall=(0.580, 0.965),
    swing=(0.586, 1.0305), swing_ramps=(0.453, 0.395), lift=(0.656, 0.960), lift_height=0.0285,
    ankle_turn_rise=(0.28, 0.62), ankle_turn_fall=(0.76, 0.95),
    place=0.234,
    height=(-0.0151, 0.0006, -0.0017, 0.0030, -0.0004, 0.0003), surge=(0.0180, 0.0069, 0.0029, 0.0040, 0.0008, -0.0009), sway=0.022,
    tilt_rad=0.2, tilt_swing_rad=0.012, obliquity_rad=0.06, rotation_rad=0.075,
    knee_rotation_rad=0.05, least_knee_flexion_rad=0.095,
    load_swing=0.17, load_peak=0.10, pivot=1.35, cop_travel=(-0.06, 0.37),
)  # fmt: skip

#: An easy run.
RUN = GaitPattern(
    foot_off=0.36, stride=2.116, froude_speed=0.995,
    heel_pitch_rad=0.337, heel_rise=(0.801, 1.0), heel_fall=(0.8715, 1.0885),
    toe_pitch_rad=1.10, toe_rise=(0.04, 0.533), toe_fall=(0.539, 0.98),
    swing=(0.32, 1.0325), swing_ramps=(0.387, 0.25), lift=(0.30, 1.0), lift_height=0.089,
    ankle_turn_rise=(0.12, 0.36), ankle_turn_fall=(0.76, 0.95),
    place=0.101,
    height=(0.0069, -0.0090, -0.0028, 0.0080, 0.0, 0.0017), surge=(-0.0200, -0.0080, -0.0050, 0.0050, 0.0010, 0.0010), sway=0.008,
    tilt_rad=0.2, tilt_swing_rad=0.03, obliquity_rad=0.06, rotation_rad=0.10,
    knee_rotation_rad=0.06, least_knee_flexion_rad=0.276, deep_knees=True,
    load_swing=0.0, load_peak=0.0, pivot=1.8, cop_travel=(-0.08, 0.20),
)  # fmt: skip
