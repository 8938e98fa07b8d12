"""Every setting of the main job in one frozen value, read from and written to TOML.

The default recipe is what a laboratory gets without asking; ``biomech-id recipe`` prints it with every setting explained.
The explanation and the allowed values live beside each setting's default, so that the file cannot drift from the code.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypedDict, TypeVar, cast

from biomech_id.algebra.arrays import FloatArray
from biomech_id.arguments import holds
from biomech_id.conventions import KineticsName
from biomech_id.dynamics.body import BodyMotion
from biomech_id.dynamics.leg_forces import STRENGTHS, ForceOptions
from biomech_id.errors import OptionError, did_you_mean
from biomech_id.files.settings import (
    ListOf,
    Section,
    Setting,
    Spot,
    a_number,
    a_text,
    a_whole_number,
    is_number,
    must_fit,
    one_of,
    read_written,
    template,
    texts,
    toml_of,
    yes_or_no,
)
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.gait.events import SOURCES, is_source
from biomech_id.models.joint_centres.hip_regressions import PelvisSize, own_hip
from biomech_id.models.model import BodyModel
from biomech_id.models.registry import AUTO, AUTO_MODELS, body_model, is_model, model_names, no_model, registered_name
from biomech_id.readers.c3d.plate_setup import DeclaredPlate
from biomech_id.request.plate_types import PLATE_PLACES, PLATE_TYPES, plate_from
from biomech_id.request.review_file import STANCE_VERDICTS, VERDICT, as_written, verdict_from
from biomech_id.session.output.thinning import LARGE_TABLES
from biomech_id.session.values.fingerprint import check_mix
from biomech_id.session.values.norm import NORM_CHOICES
from biomech_id.signal.filters import filter_named
from biomech_id.trial import Event, Trial
from biomech_id.uncertainty.sizes import error_sizes
from biomech_id.values import dataclass

Value = TypeVar("Value")


@dataclass(frozen=True)
class Run:
    """What happened in a run, by which it is known whether a setting had anything to do.

    Attributes
    ----------
    heeded : frozenset[str]
        Settings that the body model heeds.
    chosen : bool
        Whether it was measured if markers need a filter.
    filtered : bool
        Whether some recording's markers were filtered.
    lowpassed : bool
        Whether the low-pass filter was used at all, for markers or plates.
    plates : bool
        Whether some recording has force plates.
    muscles : bool
        Whether some recording has muscle signals.
    uncertain : bool
        Whether it was computed how far loads can be off.
    norm : bool
        Whether there is a norm to compare with.
    feet : bool
        Whether somebody wears a foot model.
    written : bool
        Whether results are written to a folder.
    """

    heeded: frozenset[str] = frozenset()
    chosen: bool = True
    filtered: bool = True
    lowpassed: bool = True
    plates: bool = True
    muscles: bool = True
    uncertain: bool = True
    norm: bool = True
    feet: bool = True
    written: bool = True


def _setting(default: Value, section: str, kind: Setting, acts: str = "") -> Value:
    """A field with its TOML section, what it accepts, and the fact of a `Run` without which it has no effect ("" for none)."""
    kind = dataclasses.replace(kind, called="Recipe setting {key}")
    about = {"section": section, "kind": kind, "acts": acts}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: cast(Value, dict(default)), metadata=about)
    return dataclasses.field(default=default, metadata=about)


def _plate_cutoff(value: object) -> bool:
    """Whether a value says how smooth the plates are to be."""
    return value in ("auto", "raw") or (is_number(value) and float(str(value)) > 0)


class PrepareSettings(TypedDict, total=False):
    """The settings that matter before a recording is analysed, by name (see `Settings`)."""

    kinetics: str | None
    marker_filter: str | None
    smooth_below_mm: float | None
    cutoff_hz: float | None
    lowpass: str | Callable[[FloatArray, float, float], FloatArray] | None
    plate_cutoff_hz: str | float | None
    longest_gap_frames: int | None
    longest_repair_s: float | None


class Settings(PrepareSettings, total=False):
    """The settings of a recipe by name, as keywords of a function; those that are not given, or None, stay as they are."""

    model: str | None
    foot_flat: str | None
    marker_set: str | None
    inertia_table: str | None
    hip_centre: str | Callable[[str, PelvisSize], FloatArray] | None
    knee_axis: str | None
    offsets: str | None
    foot_hindfoot_flat: str | None
    foot_forefoot_floor: str | None
    foot_heel_passes: int | None
    foot_widths: str | None
    foot_calibration: str | None
    event_source: str | Callable[[Trial, BodyMotion | None], Iterable[Event]] | None
    stance_verdicts: tuple[str | StanceVerdict, ...] | None
    plate_types: tuple[Mapping[str, Any], ...] | None
    plate_places: tuple[Mapping[str, Any], ...] | None
    plate_population: str | None
    contact_N: float | None
    extra_forces: str | None
    channels: Mapping[str, str] | None
    emg_highpass_hz: float | None
    emg_envelope_hz: float | None
    emg_notch: bool | None
    emg_delay_ms: float | None
    emg_gain: float | None
    emg_noise_factor: float | None
    emg_relative_share: float | None
    emg_reference: str | None
    budget: bool | None
    uncertainty: bool | None
    error_sizes: tuple[str, ...] | None
    norm_for: str | None
    mix: tuple[str, ...] | None
    write_c3d: bool | None
    review_page: bool | None
    report: bool | None
    large_tables: str | None
    keep_clinic: bool | None
    keep_comments: bool | None
    keep_conditions: bool | None
    owner_only: bool | None
    muscle_forces: bool | None
    muscle_exponent: float | None
    muscle_reserve_Nm: float | None
    muscle_strength: str | None
    muscle_knee_cost: float | None
    lab: str | None
    diagnose: bool | None


@holds()
@dataclass(frozen=True)
class Recipe:
    """Every setting of the main job (see ``biomech-id recipe`` for what each means).

    Attributes
    ----------
    model : str, optional
        Name of the body model, or "auto".
    kinetics : str, optional
        How loads are computed: "textbook" or "vicon".
    foot_flat : str, optional
        "auto", "yes" or "no": whether the sole stood flat in the static trial.
    marker_set : str, optional
        Name or TOML file of a marker set, or "auto".
    inertia_table : str, optional
        Name or CSV file of an inertial table, or "auto".
    hip_centre : str, optional
        Hip centre method, or "auto".
    knee_axis : str, optional
        "markers", or "walk": the conventional model's thigh rotations that leave the knees the least varus.
    offsets : str, optional
        "static", or "trial": the conventional model's offsets as the walks' own files store them.
    foot_hindfoot_flat, foot_forefoot_floor : str, optional
        "auto", "yes" or "no": the Oxford foot's static trial.
    foot_heel_passes : int, optional
        How often the Oxford foot's heel is smoothed; 0 takes the stored one.
    foot_widths : str, optional
        "mean" or "own": knee and ankle widths of the Oxford foot.
    foot_calibration : str, optional
        "auto" or "static": what the Oxford foot is calibrated by.
    marker_filter : str, optional
        "auto", "always" or "never".
    smooth_below_mm : float, optional
        "auto" leaves markers alone whose residual above 20 Hz is smaller.
    cutoff_hz : float, optional
        Effective cut-off of the low-pass filter.
    lowpass : str, optional
        Name of the low-pass filter.
    plate_cutoff_hz : str | float, optional
        "auto", "raw" or an effective cut-off in Hz: how smooth the plates are that joint loads are computed from.
    longest_gap_frames : int, optional
        Longest gap that is filled as rigid body or by spline; 0 fills none in any way.
    longest_repair_s : float, optional
        Longest gap that is filled from the other markers.
    event_source : str, optional
        "auto", "file", "plates" or "markers".
    stance_verdicts : tuple[str | StanceVerdict, ...], optional
        "TRIAL SIDE N = plate 2", "TRIAL SIDE 2.33 s = none", or a table as in ``review.toml``.
    plate_types : tuple[Mapping[str, Any], ...], optional
        Plates of unknown types, each a table: plate, type (2 or 4), channels, matrix, origin.
    plate_places : tuple[Mapping[str, Any], ...], optional
        Plates that stand elsewhere than the files say, each a table: plate, x_mm, y_mm, turn_deg.
    plate_population : str, optional
        JSON file of a population of one's own that tells where plates stand; "" for the one that ships.
    contact_N : float, optional
        Contact threshold of the plates; 0 finds it.
    extra_forces : str, optional
        CSV file of further forces on segments (see `pipeline.extra_forces`); "" for none.
    channels : Mapping[str, str], optional
        Label of an analog channel -> "R rectus_femoris", or "none".
    emg_highpass_hz : float, optional
        Lower design frequency of the muscle signals' band-pass.
    emg_envelope_hz : float, optional
        Design frequency of the envelope's low-pass.
    emg_notch : bool, optional
        Whether narrow lines that are found are taken out.
    emg_delay_ms : float, optional
        How late the telemetry's signals are.
    emg_gain : float, optional
        Amplification before recording; 0 where nobody knows.
    emg_noise_factor : float, optional
        Multiple of the noise from which a muscle is on.
    emg_relative_share : float, optional
        Share of its strong activity from which a muscle is on.
    emg_reference : str, optional
        Recording of maximal voluntary contractions, or of a movement, which is analysed as well; "" takes the session's own peak.
    budget : bool, optional
        Whether every joint moment is split into its parts.
    uncertainty : bool, optional
        Whether it is said how far moments and powers can be off.
    error_sizes : tuple[str, ...], optional
        Sizes other than the usual ones: "hip_centre_mm = 6".
    norm_for : str, optional
        "everybody", "age" or "speed": whose norm it is.
    mix : tuple[str, ...], optional
        In what a norm may differ from the session: "bandwidth".
    write_c3d : bool, optional
        Whether results are written into copies of the C3D files.
    review_page : bool, optional
        Whether review.html is written, the page that replays the session.
    report : bool, optional
        Whether the report is drawn.
    large_tables : str, optional
        "auto", "thinned", "parts" or "whole": how tables of more than two million rows are written.
    keep_clinic : bool, optional
        Whether ``[clinic]`` of ``subject.toml`` is printed under a code too.
    keep_comments : bool, optional
        Whether comments, reasons and authors of a review are printed under a code too.
    keep_conditions : bool, optional
        Whether conditions keep their names under a code.
    owner_only : bool, optional
        Whether nobody but the owner may read what is written.
    lab : str, optional
        Folder of past results, the laboratory's memory: it adds findings and moves no curve; "" for none.
    diagnose : bool, optional
        Whether each walk is diagnosed: the likeliest causes of what contradicts itself become findings, and no curve moves.
    muscle_forces : bool, optional
        Whether muscle and contact forces are computed, of an OpenSim model with muscles.
    muscle_exponent : float, optional
        Of the effort, from 2; bands are known for 2.
    muscle_reserve_Nm : float, optional
        Moment of a reserve at a control of 1, N m; 0 for none on what muscles move.
    muscle_strength : str, optional
        "mass-length" or "model": whether muscles of a scaled model are as strong as the person's mass and their length say.
    muscle_knee_cost : float, optional
        What a body weight in a knee costs beside the muscles' effort; 0 for nothing, else without bands.

    Raises
    ------
    OptionError
        A value of the wrong type or outside what the setting accepts.
    """

    model: str = _setting(AUTO, "model", Setting(
        "", is_model, "Body model. auto: conventional, or six-dof where the markers and measurements do not show that one. An "
        "OpenSim model: its .osim file, or its name in the folder that BIOMECH_ID_MODELS names.",
        said=lambda at: f"{at.start}model: {no_model(at.value)}", one_of=lambda: (AUTO, *model_names()),
    ))  # fmt: skip
    kinetics: str = _setting("textbook", "model", one_of(tuple(KineticsName), (
        "textbook: constant segments, central inertia, exact rotation kinematics. vicon: the vendor's conventions, to compare."
    )))  # fmt: skip
    foot_flat: str = _setting("auto", "model", one_of(("auto", "yes", "no"), (
        "Foot flat in the static trial. auto: subject.toml, else what the file's stored offsets show, else yes."
    )))  # fmt: skip
    marker_set: str = _setting("auto", "model", a_text(
        "Marker set by name or TOML file. auto: Plug-in Gait's labels (conventional model), the best match (six-dof)."
    ))  # fmt: skip
    inertia_table: str = _setting("auto", "model", a_text("Inertial table by name or CSV. auto: the model's own."), acts="heeded")
    hip_centre: str = _setting("auto", "model", a_text(
        "Hip centre method: davis, harrington, hara, bell; in the six-dof model score, sphere and stored too. auto: Davis in the "
        "conventional model; in the six-dof model functional when given, else stored, else regression."
    ), acts="heeded")  # fmt: skip
    knee_axis: str = _setting("markers", "model", one_of(("markers", "walk", "functional"), (
        "Knee axes of the conventional model. walk: thighs turned so that the walks show the least varus in swing; a fixed varus "
        "or a thrust is taken away too. functional: turned to the axes about which the knees bend in functional trials."
    )), acts="heeded")  # fmt: skip
    offsets: str = _setting("static", "calibration", one_of(("static", "trial"), (
        "Rotations and foot offsets of the conventional model. static: those of the static trial, where there is one. trial: those "
        "that the walks' own files store, which a clinician may have tuned after the static trial."
    )), acts="heeded")  # fmt: skip
    foot_hindfoot_flat: str = _setting("auto", "foot", one_of(("auto", "yes", "no"), (
        "Oxford foot: was the sole of the hindfoot level in the static trial? auto: what the stored numbers show, else yes where "
        "the heel marker stands low; a heel that stands high, perhaps of a foot in equinus, is asked about."
    )), acts="feet")  # fmt: skip
    foot_forefoot_floor: str = _setting("auto", "foot", one_of(("auto", "yes", "no"), (
        "Oxford foot: metatarsal heads as low as the fifth one's base in the static trial. auto: as the file says, else no."
    )), acts="feet")  # fmt: skip
    foot_heel_passes: int = _setting(1, "foot", a_whole_number(0, explained=(
        "Oxford foot: how often the heel is smoothed. More than once, or 0 for the heel that the file stores, repeats an archive."
    )), acts="feet")  # fmt: skip
    foot_widths: str = _setting("mean", "foot", one_of(("mean", "own"), (
        "Oxford foot: knee and ankle widths of both sides, as the vendor's plug-in takes them, or each side's own."
    )), acts="feet")  # fmt: skip
    foot_calibration: str = _setting("auto", "foot", one_of(("auto", "static"), (
        "Oxford foot. auto: calibrated by what a walk's own file stores, where it stores all of it, else by the static trial. "
        "static: by that alone."
    )), acts="feet")  # fmt: skip
    marker_filter: str = _setting("auto", "filter", one_of(("auto", "always", "never"), (
        "auto: filter only markers whose residual above 20 Hz shows that nobody has done so yet (never with vicon kinetics)."
    )))  # fmt: skip
    smooth_below_mm: float = _setting(
        0.05, "filter", a_number(0, explained="auto takes markers with less residual above 20 Hz (mm) as smoothed."), acts="chosen"
    )
    cutoff_hz: float = _setting(
        8.0, "filter", a_number(0.1, explained="Effective cut-off (Hz) of the fourth-order zero-lag Butterworth."), acts="filtered"
    )
    lowpass: str = _setting(
        "butterworth", "filter", a_text("Low-pass filter by name; docs/extending.md adds your own."), acts="lowpassed"
    )
    plate_cutoff_hz: str | float = _setting("auto", "filter", Setting(
        '"auto", "raw" or a number of Hz', _plate_cutoff,
        "Plates for the joint loads. auto: as smooth as the markers (as recorded with vicon kinetics). raw: smoothed only with "
        "markers that are smoothed here. A number: effective cut-off (Hz) of the low-pass filter.",
    ), acts="plates")  # fmt: skip
    longest_gap_frames: int = _setting(
        10, "gaps", a_whole_number(0, explained="Gaps up to this many frames are filled and marked as filled.")
    )
    longest_repair_s: float = _setting(0.6, "gaps", a_number(0, 2, explained=(
        "Longer ones of up to this many seconds are filled from the other markers, where that is sure to 15 mm; 0: none."
    )))  # fmt: skip
    event_source: str = _setting("auto", "events", Setting(
        "", is_source, "auto: events stored in the file, else from plates, else from markers.", one_of=SOURCES,
    ))  # fmt: skip
    stance_verdicts: tuple[str | StanceVerdict, ...] = _setting((), "plates", STANCE_VERDICTS, acts="plates")
    plate_types: tuple[Mapping[str, Any], ...] = _setting((), "plates", PLATE_TYPES, acts="plates")
    plate_places: tuple[Mapping[str, Any], ...] = _setting((), "plates", PLATE_PLACES, acts="plates")
    plate_population: str = _setting("", "plates", a_text(
        "File of `biomech-id plates --population`: typical walkers of this laboratory, by whom plates are judged. Empty: ours."
    ), acts="plates")  # fmt: skip
    contact_N: float = _setting(
        0.0,
        "plates",
        a_number(0, explained="Contact threshold (N). 0: from each plate's own noise and the body's weight."),
        acts="plates",
    )
    extra_forces: str = _setting("", "plates", a_text(
        "CSV file of further forces on segments (crutch, handrail, exoskeleton): trial, segment, time_s, force, moment, point."
    ))  # fmt: skip
    channels: Mapping[str, str] = _setting({}, "emg", Setting(
        'a table of labels: "EMG 1" = "R rectus_femoris", or "none"',
        lambda v: isinstance(v, Mapping) and all(isinstance(text, str) for text in v.values()),
        'Muscles of channels whose labels say nothing: { "EMG 1" = "R rectus_femoris", "EMG 2" = "none" }.',
    ))  # fmt: skip
    emg_highpass_hz: float = _setting(20.0, "emg", a_number(5, 100, explained=(
        "Lower design frequency (Hz) of the band-pass; 40 Hz at least where most of the power is movement."
    )))  # fmt: skip
    emg_envelope_hz: float = _setting(9.0, "emg", a_number(
        1, 50, explained="Design frequency (Hz) of the envelope's low-pass, order 2, run both ways: -3 dB at 0.8 of it."
    ))  # fmt: skip
    emg_notch: bool = _setting(True, "emg", yes_or_no("Take out narrow lines, but only where they are found."))
    emg_delay_ms: float = _setting(0.0, "emg", a_number(-200, 200, explained=(
        "How late the telemetry's signals are (ms); Delsys Trigno's analog outputs are 48."
    )))  # fmt: skip
    emg_gain: float = _setting(
        0.0, "emg", a_number(0, explained="Amplification. 0: microvolts only if the stored size can be skin's.")
    )
    emg_noise_factor: float = _setting(1.6, "emg", a_number(1, 20, explained="A muscle is on above this multiple of its noise..."))
    emg_relative_share: float = _setting(
        0.15,
        "emg",
        a_number(0, 1, explained="... and above this share of its strong activity. Both move onsets: they are printed."),
    )
    emg_reference: str = _setting("", "emg", a_text(
        "Recording whose largest envelopes are 100 %, by name: maximal voluntary contractions, or a walk (analysed as well). "
        "Empty: the largest mean envelope of the session itself."
    ))  # fmt: skip
    budget: bool = _setting(True, "output", yes_or_no("Split every joint moment into its parts (budget.csv, report page 11)."))
    uncertainty: bool = _setting(
        True, "output", yes_or_no("Say how far every joint moment and power can be off, and why (uncertainty.csv, report).")
    )
    error_sizes: tuple[str, ...] = _setting((), "output", texts(
        'Sizes of errors that this laboratory knows better: "hip_centre_mm = 6"; the data dictionary lists them all.'
    ), acts="uncertain")  # fmt: skip
    norm_for: str = _setting("everybody", "output", one_of(NORM_CHOICES, (
        "The norm of everybody in its file; of those within a quarter of the person's age; or read at the person's speed. The "
        "person's own sessions are left out."
    )), acts="norm")  # fmt: skip
    mix: tuple[str, ...] = _setting((), "output", texts(
        "In what a norm may differ from this session all the same: model, kinetics, hip_centre, bandwidth."
    ), acts="norm")  # fmt: skip
    write_c3d: bool = _setting(False, "output", yes_or_no("Write results back into copies of the C3D files."), acts="written")
    review_page: bool = _setting(
        False, "output", yes_or_no("Write review.html, the page that replays the session."), acts="written"
    )
    report: bool = _setting(True, "output", yes_or_no("Draw report.pdf."))
    large_tables: str = _setting("auto", "output", one_of(LARGE_TABLES, (
        "Tables of more than 2 000 000 rows. thinned: every few percents or frames. parts: those of a study as Parquet, a file a "
        "subject (pyarrow). auto: parts where pyarrow is installed, else thinned. A session's are thinned unless whole."
    )), acts="written")  # fmt: skip
    keep_clinic: bool = _setting(False, "privacy", yes_or_no("Under a code: print [clinic] of subject.toml all the same."))
    keep_comments: bool = _setting(False, "privacy", yes_or_no("Under a code: print comments, reasons and authors of a review."))
    keep_conditions: bool = _setting(False, "privacy", yes_or_no("Under a code: conditions keep their names."))
    owner_only: bool = _setting(False, "privacy", yes_or_no(
        "Nobody but the owner may read the results (where the system has such rights; not on Windows)."
    ), acts="written")  # fmt: skip
    muscle_forces: bool = _setting(False, "muscles", yes_or_no(
        "Muscle and joint contact forces of an OpenSim model: an estimate, not for treatment decisions (muscle_forces.csv, "
        "joint_contact.csv)."
    ), acts="heeded")  # fmt: skip
    muscle_exponent: float = _setting(2.0, "muscles", a_number(2, 10, explained=(
        "Exponent of the effort: the sum of activations to it is least. The bands are known for 2."
    )), acts="heeded")  # fmt: skip
    muscle_reserve_Nm: float = _setting(1.0, "muscles", a_number(0, 100, explained=(
        "Moment (N m) of a reserve at a control of 1, the dearer the smaller; 0: none, and what muscles cannot do is missing."
    )), acts="heeded")  # fmt: skip
    muscle_strength: str = _setting("mass-length", "muscles", one_of(STRENGTHS, (
        "mass-length: largest forces go with the person's mass over the muscle's length (Correa and Pandy 2011). model: as the "
        "model's file says."
    )), acts="heeded")  # fmt: skip
    lab: str = _setting("", "laboratory", a_text(
        "Folder of past results as the laboratory's memory: findings on plates, measurements and bones. Empty: none."
    ))  # fmt: skip
    muscle_knee_cost: float = _setting(0.0, "muscles", a_number(0, 10, explained=(
        "What a body weight in a knee costs beside squared activations (0.4 fitted one person's measured knee); 0: nothing."
    )), acts="heeded")  # fmt: skip
    diagnose: bool = _setting(False, "laboratory", yes_or_no(
        "Name the likeliest cause of what contradicts itself in each walk (mostly below half a second a walk)."
    ))  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("stance_verdicts", "plate_types", "plate_places", "error_sizes", "mix"):
            # Who writes Python passes a list.
            listed = getattr(self, name)
            object.__setattr__(self, name, tuple(listed) if isinstance(listed, list) else listed)
        must_fit(RECIPE, self.as_dict(), "")
        tables = (entry if isinstance(entry, str) else verdict_from(entry) for entry in self.stance_verdicts)
        object.__setattr__(self, "stance_verdicts", tuple(tables))
        declared = [plate.number for plate in self.declared_plates]
        for name, numbers in (("plate_types", declared), ("plate_places", [entry["plate"] for entry in self.plate_places])):
            if len(set(numbers)) < len(numbers):
                raise OptionError(
                    f"{name} declares a plate twice: {numbers}.", value=numbers, expected="each plate once", where=name
                )
        error_sizes(self.error_sizes)
        check_mix(self.mix)
        filter_named(self.lowpass)
        if self.muscle_knee_cost and self.muscle_exponent != 2:
            raise OptionError(
                f"muscle_knee_cost is known beside muscle_exponent 2, not beside {self.muscle_exponent:g}.",
                value=self.muscle_exponent, expected="2, or muscle_knee_cost 0", where="muscle_exponent",
            )  # fmt: skip
        has = tuple(dict.fromkeys(mode for name in self._named_models for mode in _known(name).kinetics))
        if self.kinetics not in has:
            others = " and ".join(name for name in model_names() if self.kinetics in body_model(name).kinetics)
            raise OptionError(
                f"{self.kinetics} kinetics are those of the {others} model; the {self.model} model has "
                f"{' and '.join(has)} kinetics only.",
                value=self.kinetics, expected=f"{' or '.join(has)} kinetics, or the {others} model", where="kinetics",
            )  # fmt: skip

    @property
    def _named_models(self) -> tuple[str, ...]:
        return AUTO_MODELS if self.model == AUTO else (self.model,)

    @property
    def known_model(self) -> str | None:
        """Name of the body model, or None where the session decides."""
        return None if self.model == AUTO else registered_name(self.model)

    @property
    def heeded(self) -> frozenset[str]:
        """Settings that the body model, or the first that is tried, heeds."""
        return _known(self.models[0]).settings

    @property
    def models(self) -> tuple[str, ...]:
        """Body models to be tried, in this order: those that have the kinetics asked for."""
        able = tuple(name for name in self._named_models if self.kinetics in _known(name).kinetics)
        if own_hip(self.hip_centre) is None:
            return able
        # Who brings a hip centre of his own wants it used.
        heeding = tuple(name for name in able if "hip_centre" in _known(name).settings)
        if not heeding:
            words = f"The {self.model} model does not take a hip centre of your own; the conventional and the six-dof model do."
            raise OptionError(words, value=self.model, expected="model conventional or six-dof", where="hip_centre")
        return heeding

    @property
    def declared_plates(self) -> tuple[DeclaredPlate, ...]:
        """What the laboratory says of its plates of unknown types."""
        return tuple(map(plate_from, self.plate_types))

    @property
    def force_options(self) -> ForceOptions:
        """How muscle forces are found."""
        return ForceOptions(self.muscle_exponent, self.muscle_reserve_Nm, self.muscle_strength, self.muscle_knee_cost)

    @property
    def chosen_marker_set(self) -> str | None:
        """The marker set asked for, or None where the model is to find it."""
        return None if self.marker_set == "auto" else self.marker_set

    def replaced(self, **changes: Any) -> Recipe:
        """Return the recipe with some settings changed; ``None`` leaves a setting as it is.

        Parameters
        ----------
        changes : Any
            Settings and their new values.

        Returns
        -------
        Recipe
            A new recipe; this one stays as it is.
        """
        return dataclasses.replace(self, **{name: value for name, value in changes.items() if value is not None})

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Settings by section, as written to the manifest.

        Returns
        -------
        dict[str, dict[str, Any]]
            Section -> setting -> value, as TOML can hold it; a setting that is None is among them.
        """
        sections: dict[str, dict[str, Any]] = {}
        for setting in dataclasses.fields(self):
            value = getattr(self, setting.name)
            listed = [as_written(item) for item in value] if isinstance(value, tuple) else value
            sections.setdefault(setting.metadata["section"], {})[setting.name] = listed
        return sections


def _known(model: str) -> BodyModel:
    return body_model(registered_name(model))


def idle_settings(recipe: Recipe, run: Run) -> dict[str, list[str]]:
    """Return the settings that were given and had no effect: the fact that they wait for -> their names.

    Parameters
    ----------
    recipe : Recipe
        Settings of the main job.
    run : Run
        What happened in the run.

    Examples
    --------
    >>> from biomech_id.request.recipe import Recipe, Run, idle_settings
    >>> idle_settings(Recipe(cutoff_hz=6.0, contact_N=30.0), Run(filtered=False))
    {'filtered': ['cutoff_hz']}
    """
    idle: dict[str, list[str]] = {}
    for setting in dataclasses.fields(recipe):
        value = getattr(recipe, setting.name)
        fact = setting.metadata["acts"] or {"emg": "muscles"}.get(setting.metadata["section"], "")
        # Who switches something off always gets his way.
        if not fact or value in (setting.default, {}) or value is False:
            continue
        acted = getattr(run, fact)
        if not (setting.name in acted if isinstance(acted, frozenset) else acted):
            idle.setdefault(fact, []).append(setting.name)
    return idle


_HOME: dict[str, str] = {setting.name: setting.metadata["section"] for setting in dataclasses.fields(Recipe)}


def _no_setting(at: Spot) -> str:
    near = f" It belongs to [{_HOME[at.key]}]." if at.key in _HOME else did_you_mean(at.key, _HOME)
    return f"{at.where}: there is no setting {at.key} in [{at.path[-2]}]; `biomech-id recipe` lists them all.{near}"


def _no_section(at: Spot) -> str:
    place = (
        f"[{_HOME[at.key]}]"
        if at.key in _HOME
        else "one of " + " ".join(f"[{section}]" for section in dict.fromkeys(_HOME.values()))
    )
    return f"{at.where}: {at.key} is not a section; write it below {place}."


def _section(name: str) -> Section:
    kinds = {setting.name: setting.metadata["kind"] for setting in dataclasses.fields(Recipe) if _HOME[setting.name] == name}
    return Section(kinds, unknown=_no_setting, no_table=_no_section)


#: What a recipe may say.
RECIPE = Section({**{name: _section(name) for name in _HOME.values()}, "verdict": ListOf(VERDICT)}, rest=_section(""))


def recipe_from_dict(sections: Mapping[str, Any], *, where: str) -> Recipe:
    """Build a recipe from sections of settings; what is not named keeps its default.

    Parameters
    ----------
    sections : Mapping[str, Any]
        Section -> setting -> value, as in the TOML file.
    where : str
        The file or trial concerned, for the error message.

    Returns
    -------
    Recipe
        The settings named; every other one has its default.

    Raises
    ------
    OptionError
        An unknown section or setting, or a value that does not fit.
    """
    must_fit(RECIPE, sections, where)
    given = {name: value for section, settings in sections.items() if section != "verdict" for name, value in settings.items()}
    # As in a review file.
    verdicts = [*given.get("stance_verdicts", ()), *sections.get("verdict", ())]
    try:
        return Recipe(**given | ({"stance_verdicts": tuple(verdicts)} if verdicts else {}))
    except OptionError as error:
        raise OptionError(f"{where}: {error.message}", value=error.value, expected=error.expected, where=where) from error


def read_recipe(path: str | Path) -> Recipe:
    """Read a recipe from a TOML file (see `recipe_from_dict`).

    Parameters
    ----------
    path : str | Path
        The TOML file; what it leaves out keeps its default.

    Returns
    -------
    Recipe
        The settings of the file; every other one has its default.
    """
    return recipe_from_dict(read_written(path, toml_of), where=Path(path).name)


def recipe_toml(recipe: Recipe | None = None) -> str:
    """Return a recipe as TOML with every setting explained, ready to be edited.

    Parameters
    ----------
    recipe : Recipe | None, optional
        Settings of the main job; None for the default ones.

    Returns
    -------
    str
        Text of a recipe file: a comment above every setting; those without a value are commented out.
    """
    values = (recipe or Recipe()).as_dict()
    return "# Recipe of biomech-id. Settings you delete keep their default.\n" + template(RECIPE, values)
