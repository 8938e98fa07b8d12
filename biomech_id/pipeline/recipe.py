"""Every setting of the main job in one frozen value, read from and written to TOML.

The default recipe is what a laboratory gets without asking; ``biomech-id recipe`` prints it with every setting explained.
The explanation and the allowed values live beside each setting's default, so that the file cannot drift from the code.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from biomech_id.errors import OptionError
from biomech_id.files.text import did_you_mean, read_problem, read_text
from biomech_id.models.model import DEFAULT_MODEL, body_model, model_names
from biomech_id.signal.filters import filter_named
from biomech_id.uncertainty.sizes import error_sizes

#: What a setting may be: nothing in particular, one of these, or one of those that are known when it is asked.
Choices = tuple[str, ...] | Callable[[], tuple[str, ...]]


def _setting(
    default: Any,
    section: str,
    explained: str,
    *,
    one_of: tuple[str, ...] | Callable[[], tuple[str, ...]] = (),
    least: float | None = None,
) -> Any:
    """A field with its TOML section, its explanation, and what it accepts."""
    metadata = {"section": section, "explained": explained, "one_of": one_of, "least": least}
    return field(default=default, metadata=metadata)


#: A number as half of Europe writes it, where a setting's value stands.
DECIMAL_COMMA = re.compile(r"=\s*(-?\d+),(\d+)")


@dataclass(frozen=True)
class Recipe:
    """Every setting of the main job (see ``biomech-id recipe`` for what each means).

    Raises
    ------
    OptionError : a value of the wrong type or outside what the setting accepts.
    """

    model: str = _setting(DEFAULT_MODEL, "model", "Body model.", one_of=model_names)
    kinetics: str = _setting(
        "textbook",
        "model",
        "textbook: constant segments, central inertia, exact rotation kinematics. vicon: the vendor's conventions, to compare.",
        one_of=("textbook", "vicon"),
    )
    foot_flat: str = _setting(
        "auto",
        "model",
        "Foot flat in the static trial. auto: subject.toml, else what the file's stored offsets show, else yes.",
        one_of=("auto", "yes", "no"),
    )
    marker_set: str = _setting(
        "auto",
        "model",
        "Marker set by name or TOML file. auto: Plug-in Gait's labels (conventional model), the best match (six-dof).",
    )
    inertia_table: str = _setting("auto", "model", "Inertial table by name or CSV (six-dof model). auto: the model's own.")
    hip_centre: str = _setting(
        "auto", "model", "Hip centre method of the six-dof model. auto: functional when given, else regression."
    )
    marker_filter: str = _setting(
        "auto",
        "filter",
        "auto: filter only markers whose residual above 20 Hz shows that nobody has done so yet (never with vicon kinetics).",
        one_of=("auto", "always", "never"),
    )
    smooth_below_mm: float = _setting(
        0.05, "filter", "auto takes markers with less residual above 20 Hz (mm) as smoothed.", least=0
    )
    cutoff_hz: float = _setting(8.0, "filter", "Effective cut-off (Hz) of the fourth-order zero-lag Butterworth.", least=0.1)
    lowpass: str = _setting("butterworth", "filter", "Low-pass filter by name; docs/extending.md adds your own.")
    longest_gap_frames: int = _setting(10, "gaps", "Gaps up to this many frames are filled and marked as filled.", least=0)
    event_source: str = _setting(
        "auto",
        "events",
        "auto: events stored in the file, else from plates, else from markers.",
        one_of=("auto", "file", "plates", "markers"),
    )
    stance_verdicts: tuple[str, ...] = _setting(
        (),
        "plates",
        'Overrules a verdict: "TRIAL SIDE N = plate 2" or "TRIAL SIDE N = none", N counting that side\'s stances from 1.',
    )
    contact_N: float = _setting(
        0.0, "plates", "Contact threshold (N). 0: from each plate's own noise and the body's weight.", least=0
    )
    budget: bool = _setting(True, "output", "Split every joint moment into its parts (budget.csv, report page 11).")
    uncertainty: bool = _setting(
        True, "output", "Say how far every joint moment and power can be off, and why (uncertainty.csv, report)."
    )
    error_sizes: tuple[str, ...] = _setting(
        (), "output", 'Sizes of errors that this laboratory knows better: "hip_centre_mm = 6"; the data dictionary lists them all.'
    )
    write_c3d: bool = _setting(False, "output", "Write results back into copies of the C3D files.")
    report: bool = _setting(True, "output", "Draw report.pdf.")

    def __post_init__(self) -> None:
        for setting in dataclasses.fields(self):
            _validate(setting, getattr(self, setting.name))
        error_sizes(self.error_sizes)
        filter_named(self.lowpass)
        has = body_model(self.model).kinetics
        if self.kinetics not in has:
            others = " and ".join(name for name in model_names() if self.kinetics in body_model(name).kinetics)
            raise OptionError(
                f"{self.kinetics} kinetics are those of the {others} model; the {self.model} model has "
                f"{' and '.join(has)} kinetics only.",
                value=self.kinetics, expected=f"{' or '.join(has)} kinetics, or the {others} model", where="kinetics",
            )  # fmt: skip

    @property
    def chosen_marker_set(self) -> str | None:
        """The marker set asked for, or None where the model is to find it."""
        return None if self.marker_set == "auto" else self.marker_set

    def replaced(self, **changes: Any) -> Recipe:
        """Return the recipe with some settings changed; ``None`` leaves a setting as it is."""
        return dataclasses.replace(self, **{name: value for name, value in changes.items() if value is not None})

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Settings by section, as written to the manifest."""
        sections: dict[str, dict[str, Any]] = {}
        for setting in dataclasses.fields(self):
            value = getattr(self, setting.name)
            sections.setdefault(setting.metadata["section"], {})[setting.name] = list(value) if isinstance(value, tuple) else value
        return sections


def choices_of(setting: dataclasses.Field[Any]) -> tuple[str, ...]:
    """What a setting may be; of the body model, those that are registered by now."""
    one_of: Choices = setting.metadata["one_of"]
    return one_of() if callable(one_of) else one_of


_WORDS = {"str": "a text", "bool": "true or false", "int": "a whole number", "float": "a number"}


def _validate(setting: dataclasses.Field[Any], value: Any) -> None:
    accepts, choices = setting.metadata, choices_of(setting)
    if choices and value not in choices:
        raise OptionError(
            f"Recipe setting {setting.name} is {value!r}; it must be one of {', '.join(choices)}.",
            value=value, expected=" | ".join(choices), where=setting.name,
        )  # fmt: skip
    kind = setting.type
    fits = {
        "str": isinstance(value, str),
        "bool": isinstance(value, bool),
        "int": isinstance(value, int) and not isinstance(value, bool),
        "float": isinstance(value, (int, float)) and not isinstance(value, bool),
    }.get(str(kind), isinstance(value, tuple) and all(isinstance(item, str) for item in value))
    if not fits or (accepts["least"] is not None and not value >= accepts["least"]):
        least = f" of at least {accepts['least']:g}" if accepts["least"] is not None else ""
        raise OptionError(
            f"Recipe setting {setting.name} is {value!r}; it must be {_WORDS.get(str(kind), 'a list of texts')}{least}.",
            value=value, expected=f"{kind}{least}", where=setting.name,
        )  # fmt: skip


def recipe_from_dict(sections: Mapping[str, Any], *, where: str) -> Recipe:
    """Build a recipe from sections of settings; what is not named keeps its default.

    Raises
    ------
    OptionError : an unknown section or setting, or a value that does not fit.
    """
    home: dict[str, str] = {setting.name: setting.metadata["section"] for setting in dataclasses.fields(Recipe)}
    chosen: dict[str, Any] = {}
    for section, settings in sections.items():
        if not isinstance(settings, Mapping):
            place = home.get(section, "] [".join(dict.fromkeys(home.values())))
            raise OptionError(
                f"{where}: {section} is not a section; write it below {'one of ' * (section not in home)}[{place}].",
                value=section, expected="sections of settings", where=where,
            )  # fmt: skip
        for name, value in settings.items():
            if home.get(name) != section:
                near = f" It belongs to [{home[name]}]." if name in home else did_you_mean(name, home)
                raise OptionError(
                    f"{where}: there is no setting {name} in [{section}]; `biomech-id recipe` lists them all.{near}",
                    value=name, expected=", ".join(n for n, s in home.items() if s == section) or "a known section", where=where,
                )  # fmt: skip
            chosen[name] = tuple(value) if isinstance(value, list) else value
    try:
        return Recipe(**chosen)
    except OptionError as error:
        raise OptionError(f"{where}: {error.message}", value=error.value, expected=error.expected, where=where) from error


def read_recipe(path: str | Path) -> Recipe:
    """Read a recipe from a TOML file (see `recipe_from_dict`)."""
    return recipe_from_dict(read_toml(path), where=Path(path).name)


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file a person wrote.

    Raises
    ------
    OptionError : no such file, not UTF-8, or not TOML; the message names the line.
    """
    text = ""
    try:
        text = read_text(path)
        return tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        comma = DECIMAL_COMMA.search(text)
        hint = f" A decimal takes a point: {comma[1]}.{comma[2]}, not {comma[1]},{comma[2]}." if comma else ""
        raise OptionError(
            f"{path} cannot be read as TOML: {read_problem(error)}.{hint}",
            value=str(path),
            expected="a readable TOML file",
            where=str(path),
        ) from error


def recipe_toml(recipe: Recipe | None = None) -> str:
    """Return a recipe as TOML with every setting explained, ready to be edited."""
    recipe = recipe or Recipe()
    lines = ["# Recipe of biomech-id. Settings you delete keep their default."]
    section = ""
    for setting in dataclasses.fields(recipe):
        if setting.metadata["section"] != section:
            section = setting.metadata["section"]
            lines += ["", f"[{section}]"]
        lines.append(f"# {setting.metadata['explained']}")
        if choices := choices_of(setting):
            lines.append(f"# One of: {', '.join(choices)}.")
        lines.append(f"{setting.name} = {_toml_value(getattr(recipe, setting.name))}")
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)
