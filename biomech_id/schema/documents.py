"""Every key of the JSON files under OUT, as data: the data dictionary's second half.

A key is written as a path: ``trials[].cycles[].used`` is the key ``used`` of each element of the list ``cycles`` of each element of
``trials``; ``<side>`` stands for "L" and "R", ``<error>`` for any error of the uncertainty. A test holds what
`session.values.summary` and `session.output.manifest` write to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from biomech_id.conventions import Aspect, KineticsName
from biomech_id.values import dataclass

#: Where the wheel has the same for machines: a Frictionless data package of the tables, a JSON Schema of each document.
SCHEMA_FOLDER = Path(__file__).parent / "schemas"


@dataclass(frozen=True)
class Key:
    """One key: its path, and what its value means, with its unit.

    Attributes
    ----------
    path : str
        Of keys: ``trials[].name``.
    meaning : str
        What the value is, with its unit.
    """

    path: str
    meaning: str


@dataclass(frozen=True)
class Document:
    """One JSON file: its name, what it is, and its keys.

    Attributes
    ----------
    name : str
        Name of the file.
    what : str
        What it is, in words.
    keys : tuple[Key, ...]
        In the order written.
    """

    name: str
    what: str
    keys: tuple[Key, ...]


_FINDING = (
    ("rule", "stable identifier"), ("severity", "info, warning or error"), ("message", "one sentence"),
    ("hint", "what to do about it"), ("where", "trial, marker or plate concerned"),
    ("values", "what the sentence is made with, by name; units as their names end"),
)  # fmt: skip


def _layers(where: str) -> Iterator[Key]:
    """Keys of what each layer of a cycle says; absent in folders of schemas 1 and 2."""
    for layer in Aspect:
        yield Key(f"{where}{layer}.counts", f"whether it enters means of this layer ({layer}), with others of its kind of movement")
        yield Key(f"{where}{layer}.by_rules", "whether it would if nobody had decided otherwise")
        yield Key(f"{where}{layer}.has", "whether anything of it was measured")
        yield Key(f"{where}{layer}.reasons", "rules of the cycle's reasons that say why it does not count")


def _verdicts(where: str, of: str) -> Iterator[Key]:
    """Keys of the verdicts by layer and side; absent in folders of schemas 1 and 2."""
    for layer in Aspect:
        place = f"{where}verdicts.{layer}.<side>"
        yield Key(f"{place}.verdict", f"of {of}'s {layer} on that side: accept, warn, reject (nothing of it can be shown), ...")
        yield Key(f"{place}.cycles", "cycles in its means")
        yield Key(f"{place}.reasons[]", "why others are not, the commonest first, as rules with their values")
        yield Key(f"{place}.reasons[].rule", "stable identifier")
        yield Key(f"{place}.reasons[].values", "what its sentence is made with, by name")


def _findings(prefix: str, of: str) -> tuple[Key, ...]:
    return (Key(f"{prefix}findings[]", of), *(Key(f"{prefix}findings[].{name}", meaning) for name, meaning in _FINDING))


def _steps(prefix: str) -> tuple[Key, ...]:
    return (
        Key(f"{prefix}steps[]", "the same as rules with their values"),
        Key(f"{prefix}steps[].rule", "stable identifier"),
        Key(f"{prefix}steps[].values", "what its sentence is made with, by name; units as their names end"),
    )


#: Every JSON file under OUT, key by key.
DOCUMENTS: tuple[Document, ...] = (
    Document("summary.json", "Who walked, with which model, what became of every trial and every cycle, and why.", (
        Key("schema", "version of this layout"),
        Key("version", "of the program"),
        Key("subject.code", "as in the file, or --code"),
        Key("subject.session_date", "ISO date as the file says it; null if it does not"),
        Key("subject.birth_date", "ISO date; null if not recorded"),
        Key("subject.age_years", "years; null if not recorded"),
        Key("subject.sex", "as recorded; null if not"),
        Key("subject.condition", "as recorded; null if not"),
        Key("subject.mass_kg", "kg; null if not recorded"),
        Key("subject.height_m", "m; null if not recorded"),
        Key("subject.leg_length_m.<side>", "m"),
        Key("subject.knee_width_m.<side>", "m"),
        Key("subject.ankle_width_m.<side>", "m"),
        Key("subject.marker_diameter_m", "m; null if not recorded"),
        Key("subject.foot_flat", "true, false, or null if nobody said"),
        Key("subject.sources", "field -> where it was read"),
        Key("model", "name of the body model"),
        Key("kinetics", " or ".join(KineticsName)),
        Key("fingerprint.model", "name of the body model; results of different fingerprints are not compared unseen"),
        Key("fingerprint.kinetics", " or ".join(KineticsName)),
        Key("fingerprint.hip_centre", "hip centre method, of both sides if they differ"),
        Key("fingerprint.bandwidth", "of the plates behind the joint loads, of trials that enter means; empty without plates"),
        Key("recipe", "every setting, by section: the manifest's, by which a change of that is known"),
        Key("error_sizes", "size of every error that the uncertainty was computed with; null where nobody asked for it"),
        Key("error_sizes.<error>", "of that error (`uncertainty.sizes.ERROR_SIZES`)"),
        Key("axes", "in which joint moments are expressed: distal-segment or joint-coordinate-system"),
        Key("moment_axes", "what the components of the internal moments are, in words"),
        Key("static.file", "the static trial, relative to the subject's folder; empty without one"),
        Key("static.name", "its stem"),
        Key("static.frames", "its number of video frames"),
        Key("verdict", "accept, warn, reject, not measured or not judged, of the whole session"),
        *_verdicts("", "the session"),
        Key("sentence", "the verdict in one line"),
        Key("complaints", "one sentence for each thing that makes the exit code 3; absent in older folders"),
        Key("conditions", "in order of first appearance"),
        Key("norm", "null without a norm"),
        Key("clinic", "section -> key -> text of [clinic] in subject.toml; null without, absent in older folders"),
        Key("review", "what was decided by hand; null without, absent in older folders"),
        Key("review.file", "the review that says so; empty where the recipe does"),
        Key("review.decisions[]", "one each, with `decision` (verdict, cycle, event, comment, repair or placement) and its fields "
            "as in review.toml"),
        Key("norm.n", "smallest number of subjects behind any of its values"),
        Key("norm.people", "number of people in it, which pages print; 0 where it holds none, absent in older results"),
        Key("norm.clinical", "whether n is at least 20"),
        Key("norm.model", "body model it was made with"),
        Key("norm.kinetics", "kinetics mode it was made with"),
        Key("norm.source", "who made it, from what"),
        Key("norm.name", "what it is called; empty or absent in older norms, as are version and date"),
        Key("norm.version", "its version"),
        Key("norm.date", "day it was made, as ISO writes it"),
        Key("norm.age_min_y", "years; null if unknown"),
        Key("norm.age_max_y", "years; null if unknown"),
        Key("norm.speed_min", "dimensionless (Hof 1996); null if unknown"),
        Key("norm.speed_max", "dimensionless; null if unknown"),
        Key("plates", "where force plates stand by the steps on them, truth less file, laboratory axes; null where nobody steps on "
            "one, absent in older folders"),
        Key("plates.places[]", "one for each plate with a typical step"),
        Key("plates.places[].plate", "its name"),
        Key("plates.places[].steps", "number of steps behind it"),
        Key("plates.places[].verdict", "accept, warn where the plate seems to stand elsewhere, or not judged"),
        *(Key(f"plates.places[].{name}.{number}", f"{meaning}, {unit}") for name, meaning in (
            ("elsewhere", "by how much it stands elsewhere, if foot markers are placed nearly as the population's are"),
            ("sd", "standard deviation of that"), ("limit", "beyond which it is called elsewhere"),
            ("markers_free", "by how much it stands elsewhere if nobody knows how foot markers are placed"),
            ("markers_free_sd", "standard deviation of that"),
        ) for number, unit in (("x_mm", "along x, mm"), ("y_mm", "along y, mm"), ("turn_deg", "turn about the vertical, degrees"))),
        Key("plates.places[].beyond", "those of x, y and turn that are beyond their limits"),
        Key("plates.places[].plate_or_habit", "those beyond their limits that may as well be how the person presses"),
        Key("plates.places[].not_apart", "those that these steps cannot tell from the foot markers"),
        *(Key(f"plates.foot_markers{end}.{number}", f"{meaning}{what}") for end, meaning in (
            ("", "bias of the foot markers against the population's, "), ("_sd", "standard deviation of that, "),
        ) for number, what in (
            ("along_mm", "along the foot, mm"), ("medial_mm", "towards the other foot, mm"), ("turn_deg", "turn inwards, degrees"),
        )),
        Key("plates.silent[]", "steps on plates that tell nothing"),
        Key("plates.silent[].plate", "the plate"),
        Key("plates.silent[].rule", "stable identifier of the reason"),
        Key("plates.silent[].reason", "why, in words"),
        Key("plates.steps[]", "every step that was used, for the log of a laboratory"),
        Key("plates.steps[].trial", "name of the trial"),
        Key("plates.steps[].side", "L or R"),
        Key("plates.steps[].plate", "name of the plate"),
        Key("plates.steps[].start_s", "when the plate is stepped on, s"),
        Key("plates.steps[].direction", "unit vector of travel, laboratory x and y"),
        Key("plates.steps[].foot_direction", "unit vector from heel to toe marker while the foot lies flat, laboratory x and y"),
        Key("plates.steps[].heel_from_plate_mm", "heel marker then, from the plate's middle, laboratory x and y, mm"),
        Key("plates.steps[].foot_length_mm", "from heel to toe marker then, mm"),
        Key("plates.steps[].along", "centre of pressure from 8 to 92 % of stance, from heel marker (0) to toe marker (1)"),
        Key("plates.steps[].across", "the same towards the other foot, in the same unit"),
        Key("plates.steps[].momentum_mm", "where the body's momentum puts the pressure, less where the plate does, x and y, mm; "
            "null where it does not tell"),
        Key("plates.steps[].momentum_by_turn_mm", "what a turn of the plate adds to that, mm per rad"),
        Key("trials[]", "one for each analysed trial, in the order of the files"),
        Key("trials[].name", "the file's stem, which names its table"),
        Key("trials[].file", "the recording, relative to the subject's folder"),
        Key(
            "trials[].kind",
            "straight, turn, treadmill, run, stair_ascent, stair_descent, ramp_ascent, ramp_descent, curb_up, curb_down, "
            "jump, squat, rise, static, other or not_judged",
        ),
        Key("trials[].condition", "conditions are never averaged together"),
        Key("trials[].aid", "none, walker, crutches, hand held, rail or not stated; absent in older folders"),
        Key("trials[].footwear", "barefoot, shod, orthosis (left, right) or not stated; absent in older folders"),
        Key("trials[].static", "its static trial; empty without one, absent in older folders"),
        Key("trials[].rate_hz", "video frames per second"),
        Key("trials[].first_frame", "the recording's own number of the first frame, counted from 1"),
        Key("trials[].n_frames", "number of video frames"),
        Key("trials[].bandwidth", "of the plates behind the joint loads: as recorded, like the markers, or N Hz; empty without"),
        Key("trials[].verdict", "accept, warn, reject, not measured or not judged: the worst of its quality rules"),
        *_verdicts("trials[].", "the trial"),
        Key("trials[].kinetics", "whether joint loads come from a plate in it; false: kinematics only"),
        Key("trials[].reasons", "one sentence for each rule that was not passed"),
        Key("trials[].progression", "x, y of the mean walking direction, unit vector, laboratory axes; null on the spot"),
        Key("trials[].belts", "side -> treadmill belt under that foot: `time_s` and `velocity_m_s`, x, y there, laboratory axes, "
            "between which it changes linearly; empty over ground, absent in older folders"),
        Key("trials[].events[]", "gait events used, in order of time"),
        Key("trials[].events[].time_s", "absolute time: frame n (from 1) is at (n - 1) / rate"),
        Key("trials[].events[].side", "L or R"),
        Key("trials[].events[].kind", "Foot Strike or Foot Off"),
        Key("trials[].events[].source", "source, method and shift in words"),
        Key("trials[].events[].source_kind", "file, plate, marker or hand"),
        Key("trials[].events[].method", "how markers found it; empty otherwise"),
        Key("trials[].events[].shifted_ms", "ms it was moved to where the plates would see it; null if nothing taught that"),
        Key("trials[].events[].sd_ms", "standard deviation of its time, ms; null where nobody knows it, as of events set by hand"),
        Key("trials[].cycles[]", "from a foot strike to the next of the same side"),
        Key("trials[].cycles[].side", "L or R"),
        Key("trials[].cycles[].cycle", "number on that side, as in the tables"),
        Key("trials[].cycles[].start_s", "foot strike, s"),
        Key("trials[].cycles[].end_s", "next strike of that side, s; by the mean cycle time if stance_only"),
        Key("trials[].cycles[].foot_off_s", "s; null if not known, as for the next five"),
        Key("trials[].cycles[].opposite_off_s", "s"),
        Key("trials[].cycles[].opposite_strike_s", "s"),
        Key("trials[].cycles[].foot_off_percent", "% of the cycle"),
        Key("trials[].cycles[].opposite_off_percent", "% of the cycle"),
        Key("trials[].cycles[].opposite_strike_percent", "% of the cycle"),
        Key("trials[].cycles[].kinetics_valid", "true, false or stance_only"),
        *_layers("trials[].cycles[]."),
        Key("trials[].cycles[].used", "whether it enters means, scores and norms of straight walks, with its angles or its loads"),
        Key("trials[].cycles[].used_by_rules", "whether it would if nobody had decided otherwise; absent in older folders"),
        Key("trials[].cycles[].sound", "whether its angles were measured well enough to be drawn to scale"),
        Key("trials[].cycles[].sound_by_rules", "whether they were if nobody had decided otherwise"),
        Key("trials[].cycles[].reason", "why kinetics are missing or it is not used"),
        Key("trials[].cycles[].reasons[]", "the same as rules with their values"),
        Key("trials[].cycles[].reasons[].rule", "stable identifier; the verdict of a stance follows from it"),
        Key("trials[].cycles[].reasons[].values", "what its sentence is made with, by name; units as their names end"),
        Key("trials[].event_agreement[]", "how far two sources of events lie apart"),
        Key("trials[].event_agreement[].side", "L or R"),
        Key("trials[].event_agreement[].kind", "Foot Strike or Foot Off"),
        Key("trials[].event_agreement[].source", "file, plate or marker; a positive lag means that it is later"),
        Key("trials[].event_agreement[].reference", "the other source"),
        Key("trials[].event_agreement[].n", "number of events both saw"),
        Key("trials[].event_agreement[].median_ms", "ms"),
        Key("trials[].event_agreement[].worst_ms", "ms"),
        Key("trials[].residual[]", "what the whole body's motion leaves unexplained of the plates' force, by phase of support"),
        Key("trials[].residual[].phase", "single_L, single_R (that foot alone), single (either), double"),
        Key("trials[].residual[].frames", "frames it is seen in"),
        Key("trials[].residual[].mean_percent", "mean along the axes of progression (forward, left, up), % of body weight"),
        Key("trials[].residual[].rms_percent", "root mean square, the same"),
        Key("trials[].residual[].moment_Nm_kg", "root mean square of the moment about the centre of mass, the same axes, N m/kg"),
        Key("trials[].residuals", "what a laboratory's charts are made of: residual of the diagnosis -> side, name of a "
            "plate or nothing -> value, in the diagnosis' units; empty where it cannot be diagnosed, absent in older folders"),
        Key("trials[].plates[]", "force plates as read"),
        Key("trials[].plates[].name", "plate 1 is the file's first"),
        Key("trials[].plates[].kind", "C3D type, 1 to 4"),
        Key("trials[].plates[].corners_mm", "four corners, mm, laboratory axes"),
        Key("trials[].plates[].sign", "how the file stored it: reaction, applied or unknown"),
        Key("trials[].plates[].baseline_N", "size of the force that was removed as the unloaded plate's, N"),
        Key("trials[].plates[].history", "what was done to the raw channels, in words"),
        *_steps("trials[].plates[]."),
        Key("trials[].foot_outline_mm.<side>.names", "points of the foot's outline, in order around it"),
        Key("trials[].foot_outline_mm.<side>.points", "x, y of each, mm, in the axes of FootCentreOfPressure"),
        Key("trials[].history", "what was done to the data, in words, in order"),
        *_steps("trials[]."),
        *_findings("trials[].", "what was noticed in the trial"),
        Key("thinned", "table of too many rows -> every how many percents or frames it was written; absent where all are whole"),
        Key("failed[]", "recordings that could not be analysed"),
        Key("failed[].file", "relative to the subject's folder"),
        Key("failed[].error", "one sentence"),
        *_findings("", "what was noticed about the session as a whole"),
    )),
    Document("calibration.json", "What the static trial fixed for every other trial; further keys are the model's own.", (
        Key("schema", "version of this layout"),
        Key("model", "name of the body model"),
        Key("kinetics", " or ".join(KineticsName)),
        Key("segment_axes", "which way the axes of the model's segments point, in words"),
        Key("static_file", "relative to the subject's folder; empty without one"),
        Key("static_window_s", "length of the static trial's stillest part, on which the model is calibrated"),
        Key("static_sway_mm", "median over its markers of the root mean square distance from their mean places there"),
        Key("sides.*.knee_varus_slope", "of varus on flexion in swing, deg a deg; with knee_varus_correlation, "
            "knee_varus_range_deg, knee_flexion_in_swing_deg"),
        Key("sides.*.knee_axis_evidence", "turned, wide, follows, not seen (which does not prove it sound), or could not run "
            "(below 30 degrees of flexion in swing)"),
        Key("sides.*.knee_axis_turn_deg", "turn of the thigh that would leave the knee the least varus, outward positive; with "
            "knee_axis_turn_error_deg, and knee_axis_offered where it may be shown as a second result"),
        Key("sides.*.thigh_marker_turn_deg", "how far the thigh marker would have to be turned to do that, backward positive"),
        Key("trials.*.*", "recording -> side -> what its own stored joint centres and axes were computed with: thigh_rotation_deg, "
            "shank_rotation_deg, tibial_torsion_deg, knee_diameter_mm and ankle_diameter_mm (markers)"),
        Key("foot_models.oxford", "where somebody wears the Oxford foot: heel_passes, widths, and for each of its sides "
            "whether the sole was flat and how that is known, points of the static trial (mm), and how the foot stood "
            "(static_deg, static_arch_index_percent)"),
        Key("fit", "where `biomech-id fit` made the model, what the report's page shows of its ``fit.json``: bodies, markers, "
            "lengths, hip_in_pelvis, trials (one that is not of this session by its number in the fit), model_sha256, converged, "
            "forces"),
        Key("fit.bodies.*.standing_m", "where the body's origin is as the model stands, m: X forward, Y up, Z to the right; "
            "``above`` is the body that it hangs from"),
        Key("fit.markers.*.standing_m", "where the marker was before the fit and where it was found, likewise"),
        Key("conditions.*", "the same for each condition with a static trial of its own"),
    )),
    Document("manifest.json", "What is needed to get the same numbers again; no clock and no absolute path in it.", (
        Key("schema", "version of this layout"),
        Key("version", "of the program"),
        Key("command", "the canonical command that repeats the run, without -o, --workers, --resume and --key"),
        Key("recipe", "every setting, by section"),
        Key("inputs", "path relative to the subject's folder -> sha256; under a code, of all but C3D files, hmac-sha256: and a "
            "hash made with the laboratory's key, or unverified where there was none"),
        Key("in_memory", "only where something no file holds was given in Python: functions (setting -> name), trials and extra "
            "forces (name -> sha256 of the numbers)"),
        Key("coded", "true where a code stands in place of every name, so that inputs are known by their hashes; else absent"),
        Key("memory", "what was taken from the laboratory's memory, `--lab`, else absent: sha256 of the summaries behind it "
            "(sessions); by chart its sessions, mean, squared deviations, both sums (standard deviations), their sessions and "
            "deviations (charts); how often each plate was not usable (plates); sizes (m), age, date and days of treatment of "
            "the same person's other sessions (person); results that could not be read, and sessions of other plates, by number "
            "(unread, elsewhere)"),
        Key("released", "true in what `release` wrote, of which nothing can be computed again; else absent"),
        Key("dependencies", "package -> version"),
        Key("python", "version of the interpreter"),
        Key("outputs", "path relative to OUT -> sha256, of every file but this one"),
        Key("drawn", "only where `report` drew again: the norm, style, review and patterns it was given (name, sha256 as of "
            "inputs), and the pages"),
        Key("drawn_appendix", "only where `report --appendix` was given any of them: the same, of appendix.pdf"),
    )),
    Document("study/study.json", "What the tables of a study are made from.", (
        Key("schema", "version of their columns"),
        Key("format", "parquet or csv"),
        Key("dependencies", "package -> version, of those that the bytes of the tables depend on"),
        Key("tables[]", "their names"),
        Key("large_tables", "what the recipe says of tables of too many rows"),
        Key("thinned", "table -> every how many percents (cycles) or frames (frames) its rows are; whole tables are not named"),
        Key("subjects[]", "those whose rows they hold, in order"),
    )),
)  # fmt: skip
