"""Which analog channels of a recording are a muscle's, and whose: by name, unit and rate; a plate's channel never is."""

from __future__ import annotations

from collections.abc import Mapping

from biomech_id.emg.muscles import MUSCLES
from biomech_id.emg.names import NamedMuscle, name_channels, parse_named
from biomech_id.emg.processing import LEAST_RATE_HZ
from biomech_id.emg.words import names_other_signal, says_emg
from biomech_id.errors import OptionError, did_you_mean
from biomech_id.languages import WRITTEN, Sentence, terms_of
from biomech_id.trial import AnalogChannels
from biomech_id.values import dataclass

#: Unit as files write it -> volts; nothing and a converter's counts are no volts, and may be a muscle's all the same.
VOLTS: dict[str, float] = {
    "v": 1.0, "volt": 1.0, "volts": 1.0, "mv": 1e-3, "millivolt": 1e-3, "millivolts": 1e-3,
    "uv": 1e-6, "µv": 1e-6, "μv": 1e-6, "microvolt": 1e-6, "microvolts": 1e-6, "nv": 1e-9,
}  # fmt: skip
_UNITLESS = frozenset(
    {"", "-", "adc", "bit", "bits", "count", "counts", "au", "a.u.", "raw", "units", "unit", "unknown", "undefined"}
)


@dataclass(frozen=True)
class EmgInput:
    """One analog channel that no force plate uses.

    Attributes
    ----------
    label : str
        Name in the recording, as the file writes it.
    unit : str
        As the file writes it.
    named : NamedMuscle
        Muscle and side, as far as somebody says so.
    refusal : Sentence | None
        Why it is no muscle's signal, or None where it is taken for one.
    """

    label: str
    unit: str
    named: NamedMuscle
    refusal: Sentence | None = None

    @property
    def shown(self) -> str:
        """What a page calls it: side and muscle, or its own label."""
        if not self.named.muscle:
            return self.label
        return " ".join(filter(None, (self.named.side, terms_of(WRITTEN, "muscles")[self.named.muscle].lower())))


def find_inputs(analog: AnalogChannels, given: Mapping[str, str] | None = None) -> tuple[EmgInput, ...]:
    """Return every channel that no plate uses.

    Parameters
    ----------
    analog : AnalogChannels
        All channels of a recording, those of plates too.
    given : Mapping[str, str] | None, optional
        Label -> "R rectus_femoris", from a recipe: beats everything, and makes any channel a muscle's; "none" makes it none.

    Returns
    -------
    tuple[EmgInput, ...]
        In file order, each with muscle and side, or why it is no muscle's signal.

    Raises
    ------
    OptionError
        A muscle that nobody knows.
    """
    recipe = {label: _recipe_muscle(label, text) for label, text in (given or {}).items()}
    own = [i for i, plate in enumerate(analog.plates) if plate is None]
    descriptions = {i: analog.descriptions[i] for i in own}
    refusals = {i: _refusal(analog, i, recipe) for i in own}
    candidates = [i for i in own if refusals[i] is None]
    names = name_channels([analog.names[i] for i in candidates], [descriptions[i] for i in candidates])
    named = dict(zip(candidates, names, strict=True))
    devices = {_device(analog.names[i], descriptions[i]) for i in candidates if named[i].muscle} - {""}
    inputs = []
    for i in own:
        refusal, name = refusals[i], recipe.get(analog.names[i]) or named.get(i, NamedMuscle())
        if refusal is None and not _is_candidate(analog.names[i], descriptions[i], name, devices):
            refusal = Sentence("emg-unnamed", {"label": analog.names[i]})
        inputs.append(EmgInput(analog.names[i], analog.units[i], NamedMuscle() if refusal else name, refusal))
    return tuple(inputs)


def _recipe_muscle(label: str, text: str) -> NamedMuscle | None:
    """What a recipe says of a label; None where it says that the channel is no muscle's."""
    if text.strip().lower() == "none":
        return None
    named = parse_named(text)
    if named is None:
        word = text.split()[-1] if text.split() else ""
        raise OptionError(
            f"[emg.channels] {label} is {text!r}; there is no such muscle.{did_you_mean(word, MUSCLES)}",
            value=text, expected="a side (L or R) and a muscle, such as R rectus_femoris, or none", where=label,
        )  # fmt: skip
    return named


def _refusal(analog: AnalogChannels, i: int, recipe: Mapping[str, NamedMuscle | None]) -> Sentence | None:
    """Why a channel is no muscle's, before anybody looks for muscles' names."""
    label, unit, description = analog.names[i], analog.units[i].strip().lower(), analog.descriptions[i]
    if label in recipe:
        return Sentence("emg-by-recipe", {"label": label}) if recipe[label] is None else None
    word = names_other_signal(label) or ("" if says_emg(description) else names_other_signal(description))
    if word:
        return Sentence("emg-other-signal", {"label": label, "word": word})
    if unit not in VOLTS and unit not in _UNITLESS:
        return Sentence("emg-unit", {"label": label, "unit": analog.units[i]})
    if analog.rate_hz < LEAST_RATE_HZ:
        return Sentence("emg-rate", {"label": label, "rate_hz": analog.rate_hz, "least_hz": LEAST_RATE_HZ})
    return None


def _device(label: str, description: str) -> str:
    """What channels of one device share: the description's name of it, or what stands before the label's point."""
    return description.partition("::")[0] if "::" in description else label.partition(".")[0] if "." in label else ""


def _is_candidate(label: str, description: str, named: NamedMuscle, devices: set[str]) -> bool:
    """A muscle's name, the word EMG, or an input of a device on which others have a muscle's name."""
    return bool(named.muscle) or says_emg(label) or says_emg(description) or _device(label, description) in devices
