"""Calibration, settings and sources as a reader wants them: words from the label table in place of keys, numbers with their unit.

The keys of ``calibration.json`` and of the recipe end in the unit of what they hold (``knee_marker_to_centre_mm``); the label table
holds what stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from biomech_id.conventions import SIDES
from biomech_id.models.registry import DEFAULT_MODEL, body_model
from biomech_id.report.layout.numbers import digits, three_digits, written
from biomech_id.report.layout.style import Style

#: Ending of a key -> unit, and decimals of a measurement in it.
WRITTEN_UNITS: dict[str, tuple[str, int]] = {
    "mm": ("mm", 1), "deg": ("deg", 1), "kg": ("kg", 3), "kgm2": ("kg m²", 5), "N": ("N", 1), "hz": ("Hz", 1), "years": ("", 1),
    "m": ("", 3), "rad": ("", 3),
}  # fmt: skip
#: A run of words without a comma, a digit or a bracket; a number with decimals.
_PHRASE, _DECIMAL = re.compile(r"[A-Za-z][a-z' ]*[a-z]"), re.compile(r"(\d)\.(\d)")
_SEGMENTS: tuple[str, ...] = ("pelvis", "thigh", "shank", "foot")
#: Keys that other lines of the page say already, and keys with lines of their own.
_TOLD = frozenset(
    "schema model kinetics static pelvis sides trials segments hip_centre segment_axes conditions foot_models fit".split()  # noqa: SIM905
)


def parted(key: str) -> tuple[str, str, int | None]:
    """Split a key into its stem, the unit and the decimals of a measurement in that unit (None: three significant digits).

    Parameters
    ----------
    key : str
        As in ``calibration.json`` and ``subject``: "leg_length_mm".
    """
    stem, _, ending = key.rpartition("_")
    if not stem or ending not in WRITTEN_UNITS:
        return key, "", None
    return stem, *WRITTEN_UNITS[ending]


def calibration_lines(calibration: Mapping[str, Any], style: Style) -> Iterator[str]:
    """What the static trial fixed: one line per measurement, left and right together.

    Parameters
    ----------
    calibration : Mapping[str, Any]
        As in ``calibration.json``.
    style : Style
        Colours, words, scales and units of the report.
    """
    for key, value in calibration.items():
        if key not in _TOLD:
            yield from _lines(key, value, style)
    if "axes" not in calibration and calibration.get("sides"):
        axes, first = calibration.get("segment_axes"), body_model(DEFAULT_MODEL).axes.segment_axes
        stated = axes not in (None, first)
        yield f"{style.label('calibration.axes')}: {axes}." if stated else style.label("calibration.axes_conventional")
    for key, values in _by_key(calibration.get("sides", {})).items():
        if key == "knee_axis_evidence":
            values = {side: style.label(f"knee_evidence.{str(value).replace(' ', '_')}") for side, value in values.items()}
        if key not in _TOLD:
            yield from _both_sides(key, values, style)
    for condition, own in calibration.get("conditions", {}).items():
        yield f"{style.label('calibration.condition', condition=condition or '–')}: {own.get('static_file') or '–'}"
        yield from calibration_lines({key: value for key, value in own.items() if key != "static_file"}, style)


def segment_lines(calibration: Mapping[str, Any], style: Style) -> Iterator[str]:
    """Lengths, masses, centres of mass, tensors and clusters of the body's segments, and each source once for all it holds for.

    Parameters
    ----------
    calibration : Mapping[str, Any]
        As in ``calibration.json``.
    style : Style
        Colours, words, scales and units of the report.
    """
    sides = calibration.get("sides", {})
    sources: dict[str, list[str]] = {}
    for segment in _SEGMENTS:
        of_sides = {side: leg["segments"][segment] for side, leg in sides.items() if segment in leg.get("segments", {})}
        name = style.label(f"segment.{segment}")
        for key, value in (calibration.get(segment) or {}).items():
            yield from _lines(key, value, style, before=f"{name}, ")
        for key, values in _by_key(of_sides).items():
            if key == "source":
                for source in dict.fromkeys(values.values()):
                    sources.setdefault(str(source), []).append(name)
            else:
                yield from _both_sides(key, values, style, before=f"{name}, ")
    for source, names in sources.items():
        yield style.label("calibration.source", source=source, names=", ".join(names))


USUAL_FILTER = ("lowpass", "butterworth")


def setting_lines(recipe: Mapping[str, object], style: Style) -> Iterator[str]:
    """Every setting of the recipe; the usual filter, which the cut-off's line names, has none of its own.

    Parameters
    ----------
    recipe : Mapping[str, object]
        As in ``manifest.json``.
    style : Style
        Colours, words, scales and units of the report.
    """
    for settings in recipe.values():
        for key, value in settings.items() if isinstance(settings, Mapping) else ():
            if (key, value) == USUAL_FILTER:
                continue
            yield f"{style.label(f'setting.{parted(key)[0]}')}: {_setting(key, value, style)}"


def source_lines(sources: Mapping[str, str], style: Style) -> Iterator[str]:
    """Where each measurement of the subject was read; those from one place stand on one line.

    Parameters
    ----------
    sources : Mapping[str, str]
        Field -> where it was read.
    style : Style
        Colours, words, scales and units of the report.
    """
    for key, where in sources.items():
        yield f"{style.label(f'measure.{parted(key)[0]}')}: {where}"


def method_words(method: str, style: Style) -> str:
    """Say in the report's language how a joint centre or axis was found; citations stay as they are.

    Parameters
    ----------
    method : str
        As in ``calibration.json``: "functional, SCoRE, Ehrig et al. 2006 (J Biomech 39:2798), residual 1.2 mm".
    style : Style
        Colours, words, scales and units of the report.
    """
    worded = _PHRASE.sub(lambda phrase: style.word(phrase[0]), method)
    return _DECIMAL.sub(rf"\1{style.decimal_mark}\2", worded)


def _by_key(of_sides: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, object]]:
    """{side: {key: value}} -> {key: {side: value}}."""
    by_key: dict[str, dict[str, object]] = {}
    for side in SIDES:
        for key, value in of_sides.get(side, {}).items():
            by_key.setdefault(key, {})[side] = value
    return by_key


def _both_sides(key: str, values: Mapping[str, object], style: Style, *, before: str = "") -> Iterator[str]:
    """``Knee width: L 102.0; R 104.0 mm``, or the value alone where the sides agree."""
    nested = {side: value for side, value in values.items() if isinstance(value, Mapping)}
    if nested and len(nested) == len(values):
        for name, inner in _by_key(nested).items():
            label = f"{before}{style.label(f'calibration.{parted(key)[0]}')}, {style.word(name)}"
            yield f"{label}: {_merged(inner, key, style)}"
        return
    yield f"{before}{style.label(f'calibration.{parted(key)[0]}')}: {_merged(values, key, style)}"


def _merged(values: Mapping[str, object], key: str, style: Style) -> str:
    texts = {side: _measured(key, value, style) for side, value in values.items()}
    unit = style.word(parted(key)[1])
    same = len(set(texts.values())) == 1 and len(texts) == len(SIDES)
    value_text = next(iter(texts.values())) if same else "; ".join(f"{side} {text}" for side, text in texts.items())
    return f"{value_text} {unit}".rstrip()


def _lines(key: str, value: object, style: Style, *, before: str = "") -> Iterator[str]:
    stem, unit, _ = parted(key)
    if isinstance(value, Mapping):
        value = "; ".join(f"{style.word(name)} {_measured(key, inner, style)}" for name, inner in value.items())
    if value not in ("", None):
        yield f"{before}{style.label(f'calibration.{stem}')}: {_measured(key, value, style)} {style.word(unit)}".rstrip()


def _measured(key: str, value: object, style: Style) -> str:
    """A number, a vector, or a tensor by its diagonal and, where they are not zero, its products xy, xz, yz."""
    decimals = parted(key)[2]
    if isinstance(value, Sequence) and not isinstance(value, str):
        if value and isinstance(value[0], Sequence) and not isinstance(value[0], str):
            products = [value[0][1], value[0][2], value[1][2]]
            diagonal = _measured(key, [value[i][i] for i in range(3)], style)
            return diagonal + (f", {_measured(key, products, style)}" if any(products) else "")
        return ", ".join(_measured(key, item, style) for item in value)
    if isinstance(value, bool):
        return style.label("common.yes" if value else "common.no")
    if value is None:
        return "–"
    if isinstance(value, float):
        return three_digits(value, style.decimal_mark) if decimals is None else written(value, decimals, style.decimal_mark)
    return method_words(str(value), style) if key.endswith(("_method", "_why", "axes")) else str(value)


def _setting(key: str, value: object, style: Style) -> str:
    """A setting as it was given, with its unit."""
    if isinstance(value, bool):
        return style.label("common.yes" if value else "common.no")
    if isinstance(value, (list, tuple)):
        return "; ".join(_setting("", item, style) for item in value) or "–"
    if isinstance(value, (int, float)):
        return f"{digits(value, 'g', style.decimal_mark)} {style.word(parted(key)[1])}".rstrip()
    return str(style.labels.get(f"choice.{value}", value))
