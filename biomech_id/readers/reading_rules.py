"""Everything the reader may notice about a file: one rule each."""

from __future__ import annotations

from biomech_id.readers.rules import ERROR, INFO, WARNING, Rule

EXPORT_AGAIN = "Export the file again from the recording software, or copy it again from its source."

PARAMETERS_DAMAGED = Rule(
    "parameters-damaged",
    WARNING,
    "The parameter section is inconsistent in itself, or could not be walked to its end; some parameters may be wrong or lost.",
    EXPORT_AGAIN,
)
PARAMETERS_STRAY = Rule(
    "parameters-stray",
    INFO,
    "Parameters belong to a group that does not exist, or two groups share a number; such parameters are skipped.",
    "Harmless unless something you need is missing; the writing software has a fault.",
)
COUNTS_DISAGREE = Rule(
    "counts-disagree",
    WARNING,
    "Header and parameters state different numbers of points or analog samples; the one that fits the file's length was used.",
    "Compare the recording with its export; some readers will misread this file by metres.",
)
FRAMES_DISAGREE = Rule(
    "frames-disagree",
    INFO,
    "The file states several numbers of frames; the one that fits its length was used.",
    "Harmless when the number read is the number recorded.",
)
FRAMES_CLIPPED = Rule(
    "frames-clipped",
    WARNING,
    "The header cannot count beyond 65535 frames, but the file holds more; all of them are read.",
    "Check the duration; other software may show only the first 65535 frames.",
)
DATA_CUT = Rule(
    "data-cut", WARNING, "The data section is shorter than header and parameters promise: the file was cut.", EXPORT_AGAIN
)
DATA_LONGER = Rule(
    "data-longer",
    WARNING,
    "The file goes on behind the last frame that header and parameters promise: frames, points or samples may be missing.",
    EXPORT_AGAIN,
)
RATES_DISAGREE = Rule(
    "rates-disagree",
    WARNING,
    "Header and POINT:RATE state different frame rates.",
    "Check the rate: velocities, accelerations and moments depend on it.",
)
FIRST_FRAME_DISAGREES = Rule(
    "first-frame-disagrees",
    WARNING,
    "Header and TRIAL:ACTUAL_START_FIELD name different first frames.",
    "Check that the events fall where they should: their times count from frame 1.",
)
ANALOG_RATE_MISSING = Rule(
    "analog-rate-missing",
    WARNING,
    "ANALOG:RATE is missing; the rate follows from the header's samples per frame.",
    "Nothing to do here, but other readers misread this file.",
)
ANALOG_RATE_DISAGREES = Rule(
    "analog-rate-disagrees",
    WARNING,
    "ANALOG:RATE is not the number of samples per frame times the frame rate.",
    "Check the analog rate in the recording software.",
)
ANALOG_MISSING = Rule(
    "analog-missing", INFO, "The file holds no analog channels.", "Without force plates there are kinematics but no kinetics."
)
ANALOG_UNCALIBRATED = Rule(
    "analog-uncalibrated",
    WARNING,
    "ANALOG:SCALE or ANALOG:OFFSET is missing or too short; such channels have no physical value.",
    EXPORT_AGAIN,
)
LABELS_MISSING = Rule(
    "labels-missing",
    WARNING,
    "There are fewer labels than points; points without one are named by their number.",
    "Label the trajectories in the recording software.",
)
LABELS_SPARE = Rule(
    "labels-spare",
    INFO,
    "There are more labels than points; the first ones are used.",
    "Harmless: older software stores empty or virtual labels.",
)
LABELS_DUPLICATE = Rule(
    "labels-duplicate",
    WARNING,
    "Two points have the same label; the second and later ones are numbered.",
    "Rename them in the recording software if they are needed.",
)
LABELS_UNLABELLED = Rule(
    "labels-unlabelled",
    INFO,
    "Some trajectories are unlabelled (*1, *2...); they are left out.",
    "Label them if a gap belongs to one of them.",
)
LABELS_LONG = Rule(
    "labels-long", WARNING, "A label is longer than 127 characters.", "Shorten it: other readers cannot open such a file."
)
LABELS_ODD = Rule(
    "labels-odd",
    INFO,
    "A label holds characters other than the printable ones of ASCII; programs read them differently.",
    "Use plain letters, digits and underscores for labels.",
)
SUBJECTS_SEVERAL = Rule(
    "subjects-several",
    WARNING,
    "The file holds markers of several subjects or objects; the one with most markers was taken.",
    "Say which subject is meant (the prefix of its labels), or export one subject per file.",
)
UNITS_GUESSED = Rule(
    "units-guessed",
    WARNING,
    "POINT:UNITS is missing or not understood; the length unit was guessed from plate size or marker extent.",
    "Check that the subject is as tall as the report says.",
)
UNITS_IMPLAUSIBLE = Rule(
    "units-implausible",
    WARNING,
    "With the stated length unit, markers or plates are far too large or small for a laboratory.",
    "Check POINT:UNITS in the recording software.",
)
VERTICAL_ROTATED = Rule(
    "vertical-rotated",
    INFO,
    "The laboratory's vertical axis is not +Z; everything was rotated so that Z points up.",
    "Nothing to do; the trial's history names the rotation.",
)
VERTICAL_UNSURE = Rule(
    "vertical-unsure",
    WARNING,
    "Plates, labels and the stored screen axes do not agree on which axis is vertical.",
    "Look at the vertical ground reaction and the pelvis height before trusting the results.",
)
POSITIONS_IMPOSSIBLE = Rule(
    "positions-impossible", WARNING, "Positions are infinite or more than 100 m away; they are taken as missing.", EXPORT_AGAIN
)
MARKERS_NEVER_SEEN = Rule(
    "markers-never-seen", INFO, "Some markers are named but not seen in any frame.", "Harmless unless the model needs them."
)
MARKERS_ALL_MISSING = Rule(
    "markers-all-missing", ERROR, "No marker is seen in any frame.", "Reconstruct and label the trial before exporting it."
)
POINTS_NONE = Rule("points-none", ERROR, "The file holds no points.", "Export the trial with its trajectories.")
EVENTS_OUTSIDE = Rule(
    "events-outside",
    WARNING,
    "Events lie outside the recording; they are left out.",
    "Set the events again in the recording software.",
)
EVENTS_INCOMPLETE = Rule(
    "events-incomplete",
    WARNING,
    "Event labels and times differ in number, or a time is not a number; only complete events are used.",
    "Set the events again in the recording software.",
)
EVENTS_IN_HEADER = Rule(
    "events-in-header",
    INFO,
    "Events were taken from the file's header, which has room for four-letter labels only.",
    "Check sides and kinds of the events.",
)
MASS_IMPLAUSIBLE = Rule(
    "mass-implausible",
    WARNING,
    "The stored body mass is not one of a person (20 to 250 kg); it is ignored.",
    "Give the mass with --mass or in subject.toml.",
)
HEIGHT_IMPLAUSIBLE = Rule(
    "height-implausible",
    INFO,
    "The stored height is not one of a person (0.3 to 2.5 m); it is ignored.",
    "Give the height in subject.toml.",
)
MEASUREMENT_IMPLAUSIBLE = Rule(
    "measurement-implausible",
    WARNING,
    "A stored body measurement lies outside anything human; it is ignored.",
    "Correct it in the recording software or in subject.toml.",
)
PLATES_NONE = Rule("plates-none", INFO, "The file describes no force plates.", "There will be kinematics but no kinetics.")
PLATE_BROKEN = Rule(
    "plate-broken",
    WARNING,
    "A force plate cannot be used: its type, channels, corners or calibration are wrong; the markers are kept.",
    "Correct the plate's set-up in the recording software and export again.",
)
PLATE_APPLIED = Rule(
    "plate-applied",
    INFO,
    "A plate stores the force applied to it and not the reaction on the subject; its signs were turned.",
    "Nothing to do; the plate's history says so.",
)
PLATE_UNLOADED = Rule(
    "plate-unloaded", INFO, "Nobody stepped on a plate; its sign cannot be known and does not matter.", "Nothing to do."
)
PLATE_BASELINE = Rule(
    "plate-baseline",
    INFO,
    "An unloaded plate showed a force; it was measured where nobody stood on the plate and subtracted.",
    "Zero the plates before each session.",
)
PLATE_BASELINE_LARGE = Rule(
    "plate-baseline-large",
    WARNING,
    "An unloaded plate showed more than 20 N, measured where nobody stood on it; it was subtracted.",
    "Zero the plates before each session.",
)
PLATE_MOMENT_UNIT = Rule(
    "plate-moment-unit",
    WARNING,
    "The moments of a plate are not in the unit stated: only with another one does the centre of pressure lie on it.",
    "Correct ANALOG:UNITS in the recording software.",
)
PLATE_IMPOSSIBLE = Rule(
    "plate-impossible",
    WARNING,
    "Samples of a plate are infinite, not numbers or beyond 50 kN; they are taken as missing.",
    EXPORT_AGAIN,
)
SANDBOX_UNLIMITED = Rule(
    "sandbox-unlimited",
    INFO,
    "This system offers no memory limit for the reading process; only its time was limited.",
    "Nothing to do.",
)

READING_RULES: tuple[Rule, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Rule))
