"""The virtual subject: options in, recordings with exactly known truth out.

>>> from biomech_id.sample import virtual_subject
>>> person = virtual_subject(body="child")
>>> static, walk = person.static(), person.walk(direction="-X")
>>> walk.truth.joint_moment_lab_Nm["R", "knee"].shape == (walk.trial.n_frames, 3)
True
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from math import sqrt
from typing import Any, Literal, ParamSpec

import numpy as np

from biomech_id.arguments import Kind, a, a_count, a_quantity, a_str, a_switch, a_word, each, holds, or_none
from biomech_id.conventions import GRAVITY_M_S2, SIDE_SIGN, SIDES
from biomech_id.errors import OptionError
from biomech_id.sample.balance import Balanced
from biomech_id.sample.body import Person, build_body
from biomech_id.sample.feet import Sole, make_sole
from biomech_id.sample.floor_plates import PlateSpec, layout
from biomech_id.sample.floors import floor_named
from biomech_id.sample.floors.floor import Floor
from biomech_id.sample.footsteps import Plan, Stride, make_plan
from biomech_id.sample.ground import mean_forward_share
from biomech_id.sample.jumps import Jumper, PushOff, landing_lower
from biomech_id.sample.markers import Loss
from biomech_id.sample.motion import HALF_STEP_WIDTH, Gait, at_full_height, leg_scale_m, stride_length_m
from biomech_id.sample.path import Path, make_path
from biomech_id.sample.pattern import GaitPattern
from biomech_id.sample.patterns import PATTERNS
from biomech_id.sample.recording import Mover, RecordingPlan, SampleTrial, Walking, record
from biomech_id.sample.squats import Riser, Squatter
from biomech_id.sample.standing import Standing, upright
from biomech_id.sample.star_arc import StarArc
from biomech_id.sample.truth import TrueStance
from biomech_id.sample.upper_body import upper_person
from biomech_id.trial import Subject
from biomech_id.trial.subject import BODY_MASS
from biomech_id.values import dataclass, replace

Options = ParamSpec("Options")
#: Mass (kg), stature (m) and age (years) of the two bodies.
BODIES: dict[str, tuple[float, float, float]] = {"adult": (72.0, 1.75, 31.0), "child": (28.0, 1.30, 9.0)}
#: What the examiner measured.
MEASURED = (
    "mass_kg", "height_m", "marker_diameter_m", "inter_asis_distance_m", "leg_length_m", "knee_width_m", "ankle_width_m",
    "asis_trochanter_distance_m",
)  # fmt: skip
#: Hip height from which the search for the pelvis's height starts, over leg length: low enough for every knee to bend.
LOW_HIP = 0.80
#: Plates under every footstep: share of the steps that they are long, the gap that is left between them, and their width.
PLATE_SHARE, PLATE_GAP_M, PLATE_WIDTH_M = 0.94, 0.01, 0.60
#: How far beside stairs or a ramp the subject stands in the static trial.
BESIDE_M = 1.5


_SWITCHES = ("foot_flat", "sacrum", "clusters", "belt", "run", "upper_body", "balanced")


@holds(
    body=a_str(), mass_kg=or_none(BODY_MASS), height_m=or_none(a_quantity(0.3, 2.6, "m")),
    age_years=or_none(a_quantity(0.0, 130.0, "years")), code=a_str(), marker_diameter_m=a_quantity(0.001, 0.06, "m"),
    toe_out_rad=each(a_quantity(-1.6, 1.6, "rad")), variant=a_word(("obeying", "violating")),
    knee_width_error_m=a_quantity(-0.1, 0.1, "m"), wand_offset_rad=a_quantity(-1.6, 1.6, "rad"),
    ankle_roll_rad=a_quantity(-1.6, 1.6, "rad"), direction=a_word(("+X", "-X", "+Y", "-Y", "turn")),
    speed_m_s=or_none(a_quantity(0.1, 12.0, "m/s")), lead=a_word(SIDES), rate_hz=a_quantity(1.0, 10_000.0, "Hz"),
    analog_ratio=a_count(1, 1000), duration_s=or_none(a_quantity(0.01, 3600.0, "s")), first_frame=a_count(1),
    floor=Kind("the name of a floor, or a Floor", lambda v: isinstance(v, str) or hasattr(v, "flat")),
    plates=a((str, tuple, list)), plate_baseline_N=each(a_quantity(-1e4, 1e4, "N")), plate_noise_N=a_quantity(0.0, 1e4, "N"),
    noise_m=a_quantity(0.0, 0.1, "m"), gaps=a((tuple, list)), soft_tissue_m=a_quantity(-0.2, 0.2, "m"), seed=a_count(0),
    **dict.fromkeys(_SWITCHES, a_switch()),
)  # fmt: skip
@dataclass(frozen=True)
class VirtualSubject:
    """All options of the virtual subject; every one can also be given to `static` and `walk` for that trial alone.

    Attributes
    ----------
    body : Literal["adult", "child"], optional
        "adult" or "child"; mass_kg, height_m, age_years override it.
    mass_kg : float | None, optional
        Body mass; None takes the body's own.
    height_m : float | None, optional
        Body height; None takes the body's own.
    age_years : float | None, optional
        Age; None takes the body's own.
    code : str, optional
        The subject's code in files.
    marker_diameter_m : float, optional
        Diameter of every marker's ball, m.
    foot_flat : bool, optional
        Whether static offsets are computed with the heel marker lowered to the toe marker's height.
    sacrum : bool, optional
        One sacral marker instead of the two posterior superior iliac spines.
    clusters : bool, optional
        Add clusters on thigh and shank, medial knee and ankle markers, and metatarsal heads.
    toe_out_rad : tuple[float, float], optional
        Outward turn of the left and the right foot.
    variant : Literal["obeying", "violating"], optional
        "obeying" obeys the conventional model's constraints; "violating" does not: knee widths are recorded
        ``knee_width_error_m`` too large, the thigh wands are turned by ``wand_offset_rad`` about the bone, and the ankle's axis is
        tilted by ``ankle_roll_rad`` out of the plane that the model assumes.
    knee_width_error_m : float, optional
        Added to the knee widths that the files hold.
    wand_offset_rad : float, optional
        Turn of the wands about their segments.
    ankle_roll_rad : float, optional
        Tilt of the ankle's axis out of the plane that the model assumes, if ``variant`` is "violating".
    direction : str, optional
        "+X", "-X", "+Y", "-Y" or "turn" (from +X to +Y).
    speed_m_s : float | None, optional
        Walking or running speed; None is a comfortable one for the leg length.
    belt : bool, optional
        Walk on a belt that runs at that speed.
    run : bool, optional
        Run instead of walk.
    floor : str | Floor, optional
        What is walked on: a name of ``floors.FLOORS`` ("level", "stairs up", "stairs down", "ramp up", "ramp down", "curb up",
        "curb down"), or a floor of one's own.
    pattern : str | GaitPattern | None, optional
        Way of moving: a name of ``patterns.PATTERNS``, or one of one's own; None is the floor's own, or a run.
    lead : Literal["L", "R"], optional
        Which foot meets the first plate.
    rate_hz : float, optional
        Video frames per second.
    analog_ratio : int, optional
        Analog samples per video frame.
    duration_s : float | None, optional
        Length of the recording; None takes the movement's own.
    first_frame : int, optional
        Number of the first frame, counted from 1.
    plates : str | tuple[PlateSpec, ...], optional
        Name of a layout (`floor_plates.layout`), or the plates themselves; "steps" is a plate under every footstep, at its level
        and slope, and stands for "two" where the floor is not flat.
    plate_baseline_N : tuple[float, float, float], optional
        Force offset of every unloaded plate, laboratory axes, N.
    plate_noise_N : float, optional
        Standard deviation of the noise on each force component of every plate, N.
    noise_m : float, optional
        Standard deviation of the markers' noise along each axis, m.
    gaps : tuple[Loss, ...], optional
        Marker, first and last missing frame of each gap, in the recording's numbering.
    soft_tissue_m : float, optional
        How far the thigh's markers ride up the bone with the knee at a right angle, m.
    seed : int, optional
        Start of every random number: equal seeds give equal recordings.
    muscles : bool, optional
        Whether electrodes are worn: eight channels, one of them dead and one that hums.
    upper_body : bool, optional
        Whether trunk, head and arms wear markers.
    balanced : bool, optional
        Whether the floor's forces are those that the momentum of the whole body asks for; otherwise they are what the legs alone
        tell, and leave a residual that the truth names.
    """

    body: Literal["adult", "child"] = "adult"
    mass_kg: float | None = None
    height_m: float | None = None
    age_years: float | None = None
    code: str = "VIRTUAL"
    marker_diameter_m: float = 0.014
    foot_flat: bool = True
    sacrum: bool = False
    clusters: bool = False
    toe_out_rad: tuple[float, float] = (0.105, 0.140)
    variant: Literal["obeying", "violating"] = "obeying"
    knee_width_error_m: float = 0.010
    wand_offset_rad: float = 0.10
    ankle_roll_rad: float = 0.10
    direction: str = "+X"
    speed_m_s: float | None = None
    belt: bool = False
    run: bool = False
    floor: str | Floor = "level"
    pattern: str | GaitPattern | None = None
    lead: Literal["L", "R"] = "R"
    rate_hz: float = 100.0
    analog_ratio: int = 10
    duration_s: float | None = None
    first_frame: int = 1
    plates: str | tuple[PlateSpec, ...] = "two"
    plate_baseline_N: tuple[float, float, float] = (0.0, 0.0, 0.0)
    plate_noise_N: float = 0.0
    noise_m: float = 0.0
    gaps: tuple[Loss, ...] = ()
    soft_tissue_m: float = 0.0
    seed: int = 20240229
    muscles: bool = False
    upper_body: bool = False
    balanced: bool = False

    def __post_init__(self) -> None:
        if self.body not in BODIES:
            raise OptionError(f"There is no virtual body named {self.body!r}.",
                              value=self.body, expected=f"one of {', '.join(BODIES)}", where="body")  # fmt: skip
        if not self.ground.flat and (self.belt or self.direction == "turn"):
            raise OptionError(
                f"A belt or a turn on the floor {self.floor!r} is not built.",
                value=self.floor, expected="a straight way over ground where the floor is not level", where="floor",
            )  # fmt: skip
        if not self.ground.flat and self.gait_pattern.aids:
            raise OptionError(
                f"A walking aid on the floor {self.floor!r} is not built.",
                value=self.floor, expected="a level floor for who walks with crutches or a walker", where="floor",
            )  # fmt: skip

    def static(self, name: str = "static", **changes: Any) -> SampleTrial:
        """Record quiet standing (1 s unless ``duration_s`` says otherwise), facing +X, both feet on the first plate.

        Where the floor is not flat, the subject stands on the ground beside it.

        Parameters
        ----------
        name : str, optional
            Name of the trial, and of its file.
        changes : Any
            Options that differ for this trial.

        Returns
        -------
        SampleTrial
            One standing trial with its truth.
        """
        me = replace(self, **changes) if changes else self
        low = LOW_HIP * leg_scale_m(me.true_body)
        standing = Standing(me.true_body, me.sole, me._toe_out, me._standing_place(), low, me._ankle_roll)
        return record(me._on_floor(upright(standing)), me._session(name, me.duration_s or 1.0, 0.0), me.subject())

    def jump(self, name: str = "jump", *, drop: bool = False, landing_depth_m: float | None = None, **changes: Any) -> SampleTrial:
        """Record a counter-movement jump, or a jump out of a drop, on the first plate (3 s unless ``duration_s`` says otherwise).

        Parameters
        ----------
        name : str, optional
            Name of the trial, and of its file.
        drop : bool, optional
            Whether it follows a drop from a box, as high as the jump.
        landing_depth_m : float | None, optional
            How far the hips go down after landing, where that is not as before take-off; deeper ones land more bent.
        changes : Any
            Options that differ for this trial.

        Returns
        -------
        SampleTrial
            One jump with its truth; heights and times of it under ``spatiotemporal``.
        """
        me = replace(self, **changes)
        session = me._session(name, me.duration_s or 3.0, -0.3)
        mover = me.jumper(drop=drop, landing_depth_m=landing_depth_m)
        known = mover.truth()
        return record(mover, session, me.subject(), spatiotemporal={**known, "top_s": session.clock_zero_s})

    def jumper(self, *, drop: bool = False, landing_depth_m: float | None = None) -> Jumper:
        """Make the one who jumps: `jump` records it.

        Parameters
        ----------
        drop : bool, optional
            Whether the jump follows a drop from a box, as high as the jump.
        landing_depth_m : float | None, optional
            How far the hips go down after landing; None as before take-off.

        Returns
        -------
        Jumper
            Time 0 of its motion is the top of the last flight.
        """
        mover = Jumper(upright(self._low(self._standing_place())), PushOff(), PushOff(), drop)
        return mover if landing_depth_m is None else landing_lower(mover, landing_depth_m)

    def _low(self, place_m: tuple[float, float]) -> Standing:
        """Who stands at a place low enough for both knees to bend."""
        height_m = LOW_HIP * leg_scale_m(self.true_body)
        return Standing(self.true_body, self.sole, self._toe_out, place_m, height_m, self._ankle_roll)

    def squat(self, name: str = "squat", *, left_share: float = 0.5, **changes: Any) -> SampleTrial:
        """Record a squat, each foot on a plate of its own (4 s unless ``duration_s`` says otherwise).

        Parameters
        ----------
        name : str, optional
            Name of the trial, and of its file.
        left_share : float, optional
            What part of the floor's force the left foot carries.
        changes : Any
            Options that differ for this trial.

        Returns
        -------
        SampleTrial
            One squat with its truth.
        """
        return self._on_the_spot(name, Squatter, left_share, 1.0, changes)

    def rise(self, name: str = "rise", *, left_share: float = 0.5, **changes: Any) -> SampleTrial:
        """Record rising from a seat that stands beside the plates, each foot on one of its own (4 s unless ``duration_s`` says).

        Parameters
        ----------
        name : str, optional
            Name of the trial, and of its file.
        left_share : float, optional
            What part of the floor's force the left foot carries.
        changes : Any
            Options that differ for this trial.

        Returns
        -------
        SampleTrial
            One rise with its truth.
        """
        return self._on_the_spot(name, Riser, left_share, 0.7, changes)

    def _on_the_spot(
        self, name: str, kind: type[Squatter], left_share: float, middle_s: float, changes: Mapping[str, Any]
    ) -> SampleTrial:
        me = replace(self, **{"plates": "belt", **changes})
        session = me._session(name, me.duration_s or 4.0, middle_s)
        mover = kind(upright(me._low((0.0, 0.0))), PushOff(), PushOff(), left_share=left_share)
        return record(mover, session, me.subject(), spatiotemporal={**mover.truth(), "zero_s": session.clock_zero_s})

    def walk(self, name: str = "walk", **changes: Any) -> SampleTrial:
        """Record a walk (or a run, or a walk on a belt).

        Parameters
        ----------
        name : str, optional
            Name of the trial, and of its file.
        changes : Any
            Options that differ for this trial.

        Returns
        -------
        SampleTrial
            One walk with its truth, every stance with the plates that carry it.
        """
        me = replace(self, **changes) if changes else self
        mover, gait = me.mover(), me.gait
        session = me._session(name, me._walk_s, me._middle_s)
        stances = _stances(gait, session.clock_zero_s)
        return record(me._on_floor(mover), session, me.subject(), stances, me._spatiotemporal())

    def _on_floor(self, mover: Mover) -> Mover:
        """Whoever moves, on the floor that was asked for.

        Raises
        ------
        OptionError
            Nobody could be in balance with it.
        """
        if not self.balanced:
            return mover
        if self.run or not self.ground.flat or self.gait_pattern.aids:
            raise OptionError(
                "A balanced run, slope, stair or walking aid is not built.",
                value="balanced", expected="a walk over level ground with a foot always on it", where="balanced",
            )  # fmt: skip
        return Balanced(mover)

    def star_arc(self, name: str = "functional", **changes: Any) -> SampleTrial:
        """Record a functional trial for hip centres and knee axes (12 s unless ``duration_s`` says otherwise): `star_arc`.

        Parameters
        ----------
        name : str, optional
            Name of the trial, and of its file.
        changes : Any
            Options that differ for this trial.

        Returns
        -------
        SampleTrial
            One functional trial with its truth.
        """
        me = replace(self, **changes)
        duration = me.duration_s or 12.0
        mover = StarArc(me.true_body, me.sole, duration, me._standing_place())
        return record(mover, me._session(name, duration, duration / 2), me.subject())

    def _standing_place(self) -> tuple[float, float]:
        """A point on the first plate a little behind its middle, so that the whole of both feet is on it."""
        specs = self.plate_specs()
        x, y = specs[0].centre_m if specs else (0.0, 0.0)
        beside = 0.0 if self.ground.flat else BESIDE_M
        return x - self.sole.tip_x / 3, y + beside

    def mover(self) -> Walking:
        """The moving body itself, which can be asked for its pose and the floor's forces at any instant.

        Returns
        -------
        Walking
            On its own clock, see `SampleTrial.clock_zero_s`.
        """
        return Walking(self.gait, mean_forward_share(self.gait))

    @cached_property
    def true_body(self) -> Person:
        """The body as it really is, also when what is recorded of it is wrong."""
        mass, height, age = BODIES[self.body]
        body = build_body(
            mass_kg=self.mass_kg or mass, height_m=self.height_m or height, age_years=self.age_years or age,
            marker_diameter_m=self.marker_diameter_m, foot_flat=self.foot_flat, sacrum=self.sacrum, clusters=self.clusters,
        )  # fmt: skip
        return body if self.variant != "violating" else _with_turned_wands(body, self.wand_offset_rad)

    @cached_property
    def sole(self) -> Sole:
        """Where the feet meet the floor."""
        return make_sole(self.true_body.height_m)

    @cached_property
    def gait_pattern(self) -> GaitPattern:
        """Constants of the gait."""
        if isinstance(self.pattern, GaitPattern):
            return self.pattern
        name = self.pattern or ("run" if self.run else self.ground.pattern)
        if name not in PATTERNS:
            raise OptionError(f"There is no way of moving named {name!r}.",
                              value=name, expected=f"one of {', '.join(PATTERNS)}", where="pattern")  # fmt: skip
        return PATTERNS[name]

    @cached_property
    def ground(self) -> Floor:
        """What is walked on."""
        return self.floor if isinstance(self.floor, Floor) else floor_named(self.floor, leg_scale_m(self.true_body))

    @cached_property
    def speed(self) -> float:
        """Speed in m/s:
        as asked for, or the pattern's own for this leg length (rounded to 5 mm/s).
        """
        comfortable = self.gait_pattern.froude_speed * sqrt(GRAVITY_M_S2 * leg_scale_m(self.true_body))
        return self.speed_m_s or round(comfortable * 200) / 200

    @cached_property
    def gait(self) -> Gait:
        """The gait, placed so that the aimed feet meet the plates."""
        leg = leg_scale_m(self.true_body)
        mean_phase = sum(self._aimed_phases) / 2
        path = make_path(
            self.direction, leg, bend_at_m=(mean_phase + 1.0) * self._stride_m, belt_m_s=self.speed if self.belt else 0.0
        )
        path = replace(path, origin_m=self._aim(self._plan(path)))
        start = Gait(
            self.true_body, self.sole, self.gait_pattern, path, self._plan(path), self._toe_out, LOW_HIP * leg, self._ankle_roll
        )
        return at_full_height(start)

    def subject(self) -> Subject:
        """What an examiner wrote down about this person.

        Returns
        -------
        Subject
            As a reader would find it in the file, SI.
        """
        b = self.true_body
        error = self.knee_width_error_m if self.variant == "violating" else 0.0
        upper = upper_person(b)
        arms: dict[str, Any] = {
            "shoulder_offset_m": dict.fromkeys(SIDES, upper.shoulder_offset_m),
            "elbow_width_m": dict.fromkeys(SIDES, upper.elbow_width_m),
            "wrist_width_m": dict.fromkeys(SIDES, upper.wrist_width_m),
            "hand_thickness_m": dict.fromkeys(SIDES, upper.hand_thickness_m),
        } if self.upper_body else {}  # fmt: skip
        return Subject(
            code=self.code, mass_kg=b.mass_kg, height_m=b.height_m, age_years=b.age_years, marker_diameter_m=2 * b.marker_radius_m,
            inter_asis_distance_m=b.inter_asis_m, leg_length_m=b.leg_length_m,
            knee_width_m={s: b.knee_width_m[s] + error for s in SIDES}, ankle_width_m=b.ankle_width_m,
            asis_trochanter_distance_m=_above_zero(b.asis_trochanter_m), foot_flat=self.foot_flat,
            sources=dict.fromkeys((*MEASURED, *arms), "virtual subject"), **arms,
        )  # fmt: skip

    def plate_specs(self) -> tuple[PlateSpec, ...]:
        """The laboratory's plates with their noise and baseline.

        Returns
        -------
        tuple[PlateSpec, ...]
            In the order of the recording's plates.
        """
        if self._under_steps:
            specs = self._step_plates()
        else:
            specs = layout(self.plates, self._own_step_m) if isinstance(self.plates, str) else self.plates
        if self.plate_noise_N or any(self.plate_baseline_N):
            specs = tuple(replace(s, baseline_N=self.plate_baseline_N, noise_N=self.plate_noise_N) for s in specs)
        return specs

    @property
    def _under_steps(self) -> bool:
        return self.plates == "steps" or (self.plates == "two" and not self.ground.flat)

    def _step_plates(self) -> tuple[PlateSpec, ...]:
        """A plate under every footstep of the recorded walk, in order of time."""
        plan, first = self.gait.plan, self.gait.path.first
        start_s, end_s = self._middle_s - self._walk_s / 2, self._middle_s + self._walk_s / 2
        ahead = (self.sole.back_x + self.sole.tip_x) / 2
        along = self.ground.step_m or PLATE_SHARE * self._stride_m / 2
        size = (along - PLATE_GAP_M, PLATE_WIDTH_M)
        slope = tuple(float(part) for part in first * np.tan(self.ground.slope_rad))
        left = np.array([-first[1], first[0]])
        plates = []
        for steps in plan.steps.values():
            for strike, off, place in zip(steps.strike_s, steps.off_s, steps.place_m, strict=True):
                if off > start_s and strike < end_s:
                    middle = place + plan.R_lab_floor @ (ahead * np.array([*first, 0.0]))
                    on_path = middle[:2] - left * float((middle[:2] - self.gait.path.origin_m) @ left)
                    spec = PlateSpec(
                        centre_m=(float(on_path[0]), float(on_path[1])), size_m=size if first[0] else size[::-1],
                        height_m=float(middle[2]), slope=(slope[0], slope[1]),
                    )  # fmt: skip
                    plates.append((float(strike), spec))
        return tuple(spec for _, spec in sorted(plates, key=lambda pair: pair[0]))

    @property
    def _walk_s(self) -> float:
        """Duration of a recorded walk."""
        return self.duration_s or round(3.3 * self.gait.plan.cycle_s, 1)

    @property
    def _middle_s(self) -> float:
        """Middle of a recorded walk, on the motion's own clock: the aimed stances lie there."""
        cycle = self.gait.plan.cycle_s
        return (self._aimed_phases[0] + self._aimed_phases[1]) / 2 * cycle + self.gait.pattern.foot_off * cycle / 2

    @property
    def _toe_out(self) -> dict[str, float]:
        return dict(zip(SIDES, self.toe_out_rad, strict=True))

    @property
    def _ankle_roll(self) -> float:
        return self.ankle_roll_rad if self.variant == "violating" else 0.0

    @cached_property
    def _stride_m(self) -> float:
        if self.ground.step_m is not None:
            return 2 * self.ground.step_m
        return stride_length_m(self.gait_pattern, leg_scale_m(self.true_body), self.speed)

    @cached_property
    def _own_step_m(self) -> float:
        """Comfortable step of this body, to the centimetre:
        the laboratory's plates stay where they are at any speed.
        """
        leg = leg_scale_m(self.true_body)
        return round(self.gait_pattern.stride * leg / 2, 2)

    @property
    def _aimed_phases(self) -> tuple[float, float]:
        """Strikes of the two aimed stances, in cycles:
        right then left, or left then right.
        """
        right = self.gait_pattern.right_strike
        return (right - 1.0, 0.0) if self.lead == "R" else (0.0, right)

    def _plan(self, path: Path) -> Plan:
        leg, cycle = leg_scale_m(self.true_body), self._stride_m / self.speed
        # The recording is centred within a cycle of the motion's zero.
        reach = cycle + (self.duration_s or 3.3 * cycle) / 2
        stride = Stride(self.speed, self._stride_m, HALF_STEP_WIDTH * leg, self._toe_out)
        return make_plan(self.gait_pattern, path, self.ground, stride, (-reach, reach))

    def _aim(self, plan: Plan) -> np.ndarray:
        """Shift of the path (2,) that brings the aimed feet onto the plates."""
        if self.belt:
            return np.zeros(2)
        feet = []
        for phase in self._aimed_phases:
            steps = plan.steps["L" if phase == 0.0 else "R"]
            k = int(np.argmin(np.abs(steps.strike_s - phase * plan.cycle_s)))
            ahead = (self.sole.back_x + self.sole.tip_x) / 2
            feet.append(steps.place_m[k, :2] + ahead * np.array([np.cos(steps.yaw_rad[k]), np.sin(steps.yaw_rad[k])]))
        if self.direction in ("+Y", "-Y") and not self._under_steps:
            specs = self.plate_specs()
            centre = np.array(specs[0].centre_m if specs else (0.0, 0.0))
            return centre - feet[1]
        return -(feet[0] + feet[1]) / 2

    def _session(self, name: str, duration_s: float, middle_s: float) -> RecordingPlan:
        frames = round(duration_s * self.rate_hz)
        first_s = (self.first_frame - 1) / self.rate_hz
        return RecordingPlan(
            name=name, rate_hz=self.rate_hz, analog_ratio=self.analog_ratio, first_frame=self.first_frame, n_frames=frames,
            clock_zero_s=first_s + duration_s / 2 - middle_s, plates=self.plate_specs(), noise_m=self.noise_m, gaps=self.gaps,
            soft_tissue_m=self.soft_tissue_m, seed=self.seed, muscles=self.muscles, upper_body=self.upper_body,
        )  # fmt: skip

    def _spatiotemporal(self) -> dict[str, float]:
        """Parameters of the steady gait on a straight path; a turn has none."""
        if self.direction == "turn":
            return {}
        cycle, pattern = self._stride_m / self.speed, self.gait_pattern
        right, offs = pattern.of("R"), {side: pattern.of(side).foot_off for side in SIDES}
        # What the right foot is ahead of the middle between two left ones.
        uneven = (pattern.right_strike - 0.5 + right.place - pattern.place) * self._stride_m
        heels = {s: _heel_from_path(self.true_body, s, self._toe_out[s]) for s in SIDES}
        half = HALF_STEP_WIDTH * leg_scale_m(self.true_body)
        lead_of_left = heels["L"][0] - heels["R"][0]
        return {
            "speed_m_s": self.speed,
            "belt_m_s": self.speed if self.belt else 0.0,
            "cycle_s": cycle,
            "stride_length_m": self._stride_m,
            "step_length_L_m": float(self._stride_m / 2 - uneven + lead_of_left),
            "step_length_R_m": float(self._stride_m / 2 + uneven - lead_of_left),
            "step_width_m": float(2 * half + heels["L"][1] - heels["R"][1]),
            "cadence_steps_per_min": 120.0 / cycle,
            **({"foot_off_percent": 100.0 * offs["L"]} if offs["L"] == offs["R"] else {}),
            **{f"foot_off_{side}_percent": 100.0 * off for side, off in offs.items()},
            "double_support_percent": max(0.0, 100.0 * (offs["L"] + offs["R"] - 1.0)),
        }


def _refusing_unknown_options(make: Callable[Options, VirtualSubject]) -> Callable[Options, VirtualSubject]:
    @wraps(make)
    def virtual_subject(*args: Options.args, **options: Options.kwargs) -> VirtualSubject:
        known = VirtualSubject.__dataclass_fields__
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise OptionError(f"The virtual subject has no option named {', '.join(unknown)}.",
                              value=unknown, expected=f"some of {', '.join(known)}", where="virtual_subject")  # fmt: skip
        return make(*args, **options)

    return virtual_subject


#: Makes a virtual subject; its options are the fields of `VirtualSubject`, and one that does not exist is refused in a sentence.
virtual_subject = _refusing_unknown_options(VirtualSubject)


def _heel_from_path(body: Person, side: str, toe_out_rad: float) -> np.ndarray:
    """Heel marker of a flat foot relative to the foot's place on the path: (forward, left), metres."""
    angle = SIDE_SIGN[side] * toe_out_rad
    x, y = body.feet[side].markers_m["HEE"][:2]
    return np.array([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)])


def _stances(gait: Gait, clock_zero_s: float) -> list[TrueStance]:
    stances = []
    for side, steps in gait.plan.steps.items():
        heel = gait.body.feet[side].markers_m["HEE"]
        for strike, off, place, yaw in zip(steps.strike_s, steps.off_s, steps.place_m, steps.yaw_rad, strict=True):
            c, s = np.cos(yaw), np.sin(yaw)
            where = place + gait.plan.R_lab_floor @ np.array([c * heel[0] - s * heel[1], s * heel[0] + c * heel[1], heel[2]])
            stances.append(TrueStance(side, float(strike + clock_zero_s), float(off + clock_zero_s), (), where, float(yaw)))
    return stances


def _above_zero(distance_m: Mapping[str, float]) -> dict[str, float]:
    """Distances that somebody could have measured: the formula is below zero for a leg under 0.38 m."""
    return {side: each for side, each in distance_m.items() if each > 0.0}


def _with_turned_wands(body: Person, angle_rad: float) -> Person:
    """Turn the thigh wands about the bone, outwards at the back."""
    markers = dict(body.thigh_markers_m)
    for side in SIDES:
        x, y, z = markers[side, "THI"]
        c, s = np.cos(angle_rad), np.sin(angle_rad) * SIDE_SIGN[side]
        markers[side, "THI"] = np.array([c * x - s * y, s * x + c * y, z])
    return replace(body, thigh_markers_m=markers)
