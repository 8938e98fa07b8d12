"""What the doctor looks for beyond what the reader notices, and the catalogue of both."""

from __future__ import annotations

from biomech_id.readers.reading_rules import READING_RULES
from biomech_id.readers.rules import ERROR, INFO, WARNING, Rule

UNREADABLE = Rule(
    "unreadable",
    ERROR,
    "The file cannot be read, or reading it would give wrong numbers.",
    "The error says why; export the recording again, or copy it again from its source.",
)
NO_FILES = Rule("no-files", WARNING, "A folder holds no C3D files.", "Give the folder that holds them.")
FRAME_SINGLE = Rule(
    "frame-single",
    WARNING,
    "The recording has a single frame: nothing can be differentiated.",
    "Usable for a calibration at best; export the whole trial.",
)
TRIAL_SHORT = Rule(
    "trial-short", INFO, "The recording lasts less than half a second.", "Too short for a gait cycle; enough for a static trial."
)
RATE_LOW = Rule(
    "rate-low",
    WARNING,
    "Markers were recorded at less than 50 frames per second.",
    "Accelerations, and with them swing-phase moments, will be poor; record at 100 Hz or more.",
)
GAP_LONG = Rule(
    "gap-long",
    WARNING,
    "A marker is missing for more than 0.2 s between frames in which it is seen.",
    "Fill the gap in the recording software, where its other views are at hand, or leave that part of the trial out.",
)
MARKER_SPIKE = Rule(
    "marker-spike",
    WARNING,
    "A marker leaves its path for a single frame, faster than anything on a body moves.",
    "Delete that frame of that marker (or mend the trajectory) in the recording software.",
)
MARKER_JUMP = Rule(
    "marker-jump",
    WARNING,
    "A marker moves farther between two frames than anything on a body can: labels were exchanged, or two paths joined.",
    "Check the labels of this marker from that frame on.",
)
MARKER_FROZEN = Rule(
    "marker-frozen",
    WARNING,
    "A marker stays at exactly the same place while the others move.",
    "It was filled with a constant, or it is not on the subject.",
)
MARKERS_COINCIDE = Rule(
    "markers-coincide",
    INFO,
    "Two markers are at exactly the same place in every frame.",
    "One trajectory was exported under two labels; vendors also copy markers under the names of virtual ones.",
)
MARKERS_BELOW_FLOOR = Rule(
    "markers-below-floor",
    WARNING,
    "Markers are more than 5 cm below the floor.",
    "Check the laboratory's calibration (origin on the floor, vertical axis).",
)
SIDES_SWAPPED = Rule(
    "sides-swapped",
    WARNING,
    "The left pelvis marker is on the right of the right one, seen from the back.",
    "Left and right (or front and back) labels are exchanged, or the vertical axis is wrong.",
)
LEG_SIDES_SWAPPED = Rule(
    "leg-sides-swapped",
    WARNING,
    "Left and right markers of a leg seem to be exchanged: they go along with the other leg, or the left knee is on the right.",
    "Exchange the labels of the pairs that are named, in the static trial too if it has the same mistake.",
)
MARKERSET_INCOMPLETE = Rule(
    "markerset-incomplete",
    INFO,
    "Most markers of the conventional gait model are there, but not all.",
    "Without them the conventional model cannot be used.",
)
HEIGHT_UNLIKE_MARKERS = Rule(
    "height-unlike-markers",
    WARNING,
    "The stored height does not fit the height of the pelvis markers above the floor.",
    "Check the height, the length unit and whether the subject was upright.",
)
MASS_MISSING = Rule(
    "mass-missing",
    INFO,
    "The file stores no body mass.",
    "Give it with --mass or in subject.toml; quiet standing on the plates also tells it.",
)
MASS_UNLIKE_WEIGHT = Rule(
    "mass-unlike-weight",
    WARNING,
    "The stored body mass differs by more than 10 % from the weight on the plates during quiet standing.",
    "Weigh the subject, and check the plates' calibration.",
)
EVENTS_NONE = Rule("events-none", INFO, "The file stores no events.", "They will be found from the force plates or the markers.")
EVENTS_ORDER = Rule(
    "events-order",
    WARNING,
    "Two foot strikes or two foot offs of one side follow each other without the other kind between them.",
    "An event is missing or on the wrong side; correct it in the recording software.",
)
PLATE_COP_OUTSIDE = Rule(
    "plate-cop-outside",
    WARNING,
    "The centre of pressure leaves the plate in more than 6 % of the samples above 50 N.",
    "Check the plate's corners, origin, channel order and calibration.",
)
PLATE_FAR_FROM_FEET = Rule(
    "plate-far-from-feet",
    WARNING,
    "The centre of pressure is more than 15 cm from the nearest marker near the floor.",
    "The plate is not where the file says, or its axes are exchanged; check its corners.",
)
PLATE_ALWAYS_LOADED = Rule(
    "plate-always-loaded",
    INFO,
    "A plate is loaded in every sample: what it shows unloaded cannot be measured in this file.",
    "Right for standing; otherwise zero the plates before the trial.",
)
PLATE_CLIPPED = Rule(
    "plate-clipped",
    WARNING,
    "A plate's force stays at its largest value for several samples: the amplifier was at its end.",
    "Choose a larger range; the peak is lost.",
)
PLATE_SPIKE = Rule(
    "plate-spike",
    WARNING,
    "A plate's force or moment leaves its course for a single sample, faster than any foot can push.",
    "Look at the raw signal for electrical faults or a damaged file; leave that stance out.",
)
OUTPUT_SPIKE = Rule(
    "output-spike",
    INFO,
    "An output stored by the vendor's software leaves its course for a single frame.",
    "Only comparisons with the stored outputs are touched; process the trial again in the vendor's software.",
)
PLATES_OVERLAP = Rule(
    "plates-overlap",
    WARNING,
    "Two plates lie on top of each other.",
    "Their corners were not measured, or copied; check the set-up.",
)
PLATE_SIZE = Rule(
    "plate-size",
    WARNING,
    "A plate's side is shorter than 15 cm or longer than 3 m.",
    "Check its corners and the length unit.",
)
PLATE_TILTED = Rule("plate-tilted", INFO, "A plate is not level.", "Right for ramps and stairs; otherwise check its corners.")

DOCTOR_RULES: tuple[Rule, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Rule))
ALL_RULES: tuple[Rule, ...] = (*READING_RULES, *DOCTOR_RULES)
