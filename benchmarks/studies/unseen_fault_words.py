"""Which words of the unseen kinds a cause of the diagnosis stands for: written before any of these kinds was put in.

The kinds say in words of their own what a physicist would accept, the most particular first. A class of the dictionary is right
where one of its words is among them; the very cause where one of its own words is the first of them, or one of their markers. A
cause of one leg is not right for markers of the other. The class "feet not flat" came later and has the words of "static in shoes".
Causes of stored events had their words from the first, under beginnings that none of their names has; they begin as below since.
"""

from __future__ import annotations

import re

MARKER = re.compile(r"[LR](ASI|PSI|THI|KNE|TIB|ANK|HEE|TOE)|SACR")
_LENGTHS = "leg length; left leg length; right leg length; height; camera scale; one axis; unit; segment length; wand"
_WIDTHS = "knee width; left knee width; right knee width; ankle width; right ankle width; marker diameter; radius for diameter"
_WEIGHT = "mass; plate gain; Fz; load cell; body-weight support; unit"
_PLACE = (
    "plate place; plate origin; plate turned; plate axes; plate size; wrong corners; centre of pressure; cross-talk; plate tilt; "
    "camera place; moment origin; moment gain; force direction; plate bends; plates exchanged"
)
_SHEAR = "shear; Fx; Fy; force direction; asymmetric gain"
_MOMENT = "moment gain; moments; Mx; My; Mz; moment origin; centre of pressure; plate size; plate bends; free moment"
_BREAKS = (
    "cable; drop-out; saturation; clipping; overflow; spikes; step; amplifier range; droop; stuck bit; converter bits; gating; "
    "threshold; automatic zero; dropped samples; buffers exchanged; vibration; plate loose; noise; targeting; stamping"
)
_ZERO = "plate offset; zero; plate drift; thermal; object on the plate; droop; ground loop; aliasing"
_CHANNELS = (
    "channels exchanged; channels; channel order; sign; polarity; rectified; plates exchanged; plate channel; wrong corners; "
    "plate axes; plate turned; axes mirrored; axes; calibration matrix; dead channel; force direction; vertical axis"
)
_CLOCK = (
    "plate clock; camera clock; delay; synchronisation; clock drift; trigger; rate; plate rate; channel skew; dropped samples; "
    "dropped frames; buffers exchanged; jitter; unit of time; forces of another trial; forces reversed; time reversed; clock; "
    "sample and hold; camera synchronisation; event clock"
)
_AXIS_THIGH, _AXIS_SHANK = (
    "thigh axis; knee axis; thigh wand; hip rotation; thigh rotation",
    ("shank axis; ankle axis; shank wand; tibial torsion; shank rotation"),
)
_AXIS_FOOT = "foot axis; foot progression"

#: Class of the dictionary, or of a block or an exchange -> words; "{}" is the marker that it is named by.
CLASS_WORDS = {
    "thigh axis": _AXIS_THIGH, "shank axis": _AXIS_SHANK, "foot axis": _AXIS_FOOT,
    "foot offset": "foot axis; plantar flexion; foot flat; static pose",
    "pelvis markers": (
        "pelvis markers; pelvis axis; pelvic obliquity; pelvic tilt; pelvic rotation; LASI; RASI; SACR; LPSI; RPSI; hip centre"
    ),
    "KNE aside": "LKNE; RKNE; knee centre", "ANK aside": "LANK; RANK; ankle centre", "THI aside": "LTHI; RTHI; " + _AXIS_THIGH,
    "TIB aside": "LTIB; RTIB; " + _AXIS_SHANK, "HEE aside": "LHEE; RHEE; foot axis; plantar flexion",
    "TOE aside": "LTOE; RTOE; foot axis; plantar flexion", "ASI aside": "LASI; RASI; pelvis axis; hip centre",
    "weight": _WEIGHT, "shear": _SHEAR, "plate moment": _MOMENT, "plate place": _PLACE,
    "plate height": "plate height; plate origin; height",
    "plate": "; ".join((_WEIGHT, _PLACE, _SHEAR, _MOMENT, _BREAKS, _ZERO, _CHANNELS, _CLOCK, "plate height; nonlinearity; creep")),
    "plate silent": (
        "plate missing; plates exchanged; dead channel; cable; threshold; gating; another person; therapist; contact; plate clock; "
        "forces of another trial; trigger"
    ),
    "plate zero": _ZERO, "force breaks off": _BREAKS, "clock": _CLOCK,
    "leg late": "camera synchronisation; left markers; delay; wrong donor; clock",
    "cameras": (
        "camera axes; camera place; camera bump; camera drift; floor tilt; room turned; axes; plate axes; plate tilt; plate place; "
        "plate height; vertical axis; relative coordinates"
    ),
    "lengths": _LENGTHS, "scale of the walk": "camera scale; segment length; static of another person; unit; camera drift",
    "widths": _WIDTHS, "ASIS distance": "inter-ASIS distance; LASI; RASI",
    "measurements": "; ".join((
        _LENGTHS, _WIDTHS, "mass; inter-ASIS distance; measurements of another visit; measurements of another person",
        "measurements exchanged; sides of measurements",
    )),
    "offsets": (
        "thigh rotation; shank rotation; tibial torsion; plantar flexion; measurements of another visit; static of another visit"
    ),
    "static": (
        "static of another visit; static of another person; moved since static; static pose; static; labels in static; "
        "segment width; static moves; static is a walk; static mirrored; knee device; static with shoes; ghost in static"
    ),
    "static in shoes": "static with shoes; plantar flexion; static pose; foot flat",
    "feet not flat": "static with shoes; plantar flexion; static pose; foot flat",
    "gap filled straight": "gap filling; gap; lost marker; frozen; repeated frames",
    "filtered low": "smoothing; filter; resampling; filter ends",
    "events": (
        "event time; event missing; event side; event kind; event twice; events late; events early; event clock; foot strike; "
        "foot off; events of the other foot; left events; right events; rate"
    ),
    "labels": "labels; sides; labels in static; label order; axes mirrored; merged markers; wrong point; names; static mirrored",
    "channels": _CHANNELS,
}  # fmt: skip
#: How a cause's name begins or ends -> its own words, beside its marker.
CAUSE_WORDS = (
    ("mass", "mass"), ("measurements of", "measurements of another visit; measurements of another person; mass; leg length"),
    (" raised in the static trial", "static pose; foot flat"), ("feet not flat", "static pose; foot flat"),
    ("static of", "static of another visit; static of another person"), ("static in shoes", "static with shoes"),
    ("height", "height"), ("knee widths", _WIDTHS), ("ankle widths", _WIDTHS), ("ASIS distance", "inter-ASIS distance"),
    (" leg length", "leg length; left leg length; right leg length"), (" leg lengths", "leg length"),
    ("camera scale", "camera scale; unit"), ("cameras tilted", "camera axes; floor tilt; plate tilt"),
    ("cameras and plates", "camera place; camera axes; plate place; camera bump; axes; relative coordinates"),
    (" gain", "plate gain; load cell; mass; unit"), (" gain of Fz", "plate gain; Fz; load cell"), (" gain of shear", _SHEAR),
    (" gain of Mx", "moment gain; Mx; plate size; plate bends"), (" gain of My", "moment gain; My; plate size; plate bends"),
    (" Fz into Fx", "cross-talk; plate tilt"), (" Fz into Fy", "cross-talk; plate tilt"),
    (" dx", "plate place; plate origin; camera place; moment origin"),
    (" dy", "plate place; plate origin; camera place; moment origin"),
    (" dz", "plate height"), (" yaw", "plate turned; plate axes; room turned"), (" late", _CLOCK), ("plates' clock", _CLOCK),
    (" zero", _ZERO), (" breaks off", _BREAKS), (" loaded without a foot", CLASS_WORDS["plate silent"]),
    (" does not record its load", CLASS_WORDS["plate silent"]), ("filtered low", "smoothing; filter; resampling"),
    ("straight-filled gap", CLASS_WORDS["gap filled straight"]), ("stored event", CLASS_WORDS["events"]),
    ("one stored event", CLASS_WORDS["events"]),
    (" exchanged", CLASS_WORDS["labels"] + "; " + _CHANNELS), (" other sign", "sign; polarity"),
    ("stored torsion", "tibial torsion"), ("stored thigh offset", "thigh rotation"), ("stored offsets", CLASS_WORDS["offsets"]),
    ("labels", CLASS_WORDS["labels"]),
)  # fmt: skip


def class_is_right(cause: str, group: str, accepted: tuple[str, ...]) -> bool:
    """Whether the class of a cause is among what a physicist accepts."""
    label = group.partition(" moved in mid-walk")[0]
    words = CLASS_WORDS.get(group, f"L{label}; R{label}" if label != group else group).split("; ")
    return _of_side(cause, accepted) and bool(set(words) & set(accepted))


def cause_is_very(cause: str, accepted: tuple[str, ...]) -> bool:
    """Whether a cause is the first of what a physicist accepts, or one of the markers."""
    first = {accepted[0], *filter(MARKER.fullmatch, accepted)}
    own = {match.group() for match in MARKER.finditer(cause)}
    if "SACR" in own:
        own |= {"LPSI", "RPSI"}
    if "both ASI" in cause:
        own |= {"LASI", "RASI"}
    for part, words in CAUSE_WORDS:
        if cause.startswith(part) or cause.endswith(part):
            own |= set(words.split("; "))
    return _of_side(cause, accepted) and bool(own & first)


def _of_side(cause: str, accepted: tuple[str, ...]) -> bool:
    """Whether a cause is not one of the other leg's."""
    sides = {word[0] for word in accepted if MARKER.fullmatch(word) and word != "SACR"}
    side = cause[0] if re.match(r"[LR](?:[A-Z]| )", cause) else ""
    return not side or not sides or side in sides
