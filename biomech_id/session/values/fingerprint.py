"""How results were computed, in a few words each: what two results must share to be compared, or laid over one norm."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from biomech_id.errors import OptionError, did_you_mean
from biomech_id.session.tables.means import RUNNING, WALKING

#: What is compared -> what it is called in sentences. A result that lacks one is older, or somebody else's.
FINGERPRINT: dict[str, str] = {
    "model": "body model", "kinetics": "kinetics mode", "hip_centre": "hip centre", "bandwidth": "bandwidth of the plates",
}  # fmt: skip
#: The same of what only some sessions state: whose thigh rotations they took, where walks carry others than their static trial.
OPTIONAL_FINGERPRINT: dict[str, str] = {"offsets": "thigh rotations"}
_COMPARED = FINGERPRINT | OPTIONAL_FINGERPRINT
#: The value ``used`` of the finding ``offsets-of-trials-differ`` -> words.
_ROTATION_SOURCES = {"static": "those of the static trial", "trial": "those of the walks"}


def fingerprint_of(about: Mapping[str, Any], movement: str = WALKING) -> dict[str, str]:
    """Return what is known of how results were computed, key -> words; keys that nobody recorded are left out.

    Parameters
    ----------
    about : Mapping[str, Any]
        ``summary.json``, or one row of a norm.
    movement : str, optional
        One of `session.tables.means.AVERAGED`: where runs are meant, the bandwidth is that of the runs of a session.
    """
    stated = {**(about.get("fingerprint") or {}), **about}
    if movement == RUNNING:
        widths = {str(trial.get("bandwidth") or "") for trial in about.get("trials") or () if trial["kind"] == RUNNING} - {""}
        stated |= {"bandwidth": " + ".join(sorted(widths))} if widths else {}
    return {key: str(stated[key]) for key in FINGERPRINT if str(stated.get(key) or "")}


def thigh_rotation_source(summary: Mapping[str, Any]) -> dict[str, str]:
    """Return whose thigh rotations a session took, where its walks carry others than their static trial.

    Parameters
    ----------
    summary : Mapping[str, Any]
        ``summary.json``.

    Returns
    -------
    dict[str, str]
        The key of `OPTIONAL_FINGERPRINT` -> words; empty for all other sessions.
    """
    for finding in summary.get("findings") or ():
        if finding["rule"] == "offsets-of-trials-differ":
            return {"offsets": _ROTATION_SOURCES[finding["values"]["used"]]}
    return {}


def not_recorded(fingerprint: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a result does not say of how it was computed, in words.

    Parameters
    ----------
    fingerprint : Mapping[str, str]
        What the result says, as of `fingerprint_of`.
    """
    return tuple(words for key, words in FINGERPRINT.items() if key not in fingerprint)


def without_fingerprint(name: str, fingerprint: Mapping[str, str]) -> str:
    """Return the sentence that names a result which does not say how it was computed; empty for one that does.

    Parameters
    ----------
    name : str
        What the result is called in the sentence.
    fingerprint : Mapping[str, str]
        What the result says, as of `fingerprint_of`.
    """
    lacks = not_recorded(fingerprint)
    return f"{name} does not say its {' nor its '.join(lacks)}: whether it may be compared cannot be checked." if lacks else ""


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return key -> both words, of what both say and say differently.

    Parameters
    ----------
    one, other : Mapping[str, str]
        What two results say, as of `fingerprint_of`.
    """
    return {key: (one[key], other[key]) for key in _COMPARED if key in one and key in other and one[key] != other[key]}


def refuse_mixture(one: Mapping[str, str], other: Mapping[str, str], names: tuple[str, str], *, mix: Collection[str] = ()) -> None:
    """Refuse two results that were computed differently, unless it is named in ``mix``.

    Parameters
    ----------
    one, other : Mapping[str, str]
        What two results say, as of `fingerprint_of`.
    names : tuple[str, str]
        What the two are called: "the norm healthy.csv", "this session".
    mix : Collection[str], optional
        Keys of `FINGERPRINT` and `OPTIONAL_FINGERPRINT` in which they may differ.

    Raises
    ------
    OptionError
        They differ in something else, or ``mix`` names what is no part of a fingerprint.
    """
    check_mix(mix)
    apart = {key: words for key, words in differing(one, other).items() if key not in mix}
    if apart:
        text = "; ".join(f"the {_COMPARED[key]} of {names[0]} is {a}, of {names[1]} {b}" for key, (a, b) in apart.items())
        raise OptionError(
            f"{text[0].upper()}{text[1:]}: their differences would also be those of the computing. Compute both alike, or name "
            f"{' and '.join(apart)} in `mix` to do it all the same.",
            value={key: list(words) for key, words in apart.items()}, where=names[0],
            expected=f"one {' and '.join(_COMPARED[key] for key in apart)}",
        )  # fmt: skip


def check_mix(mix: Collection[str]) -> None:
    """Check what results are asked to differ in.

    Parameters
    ----------
    mix : Collection[str]
        Words that somebody asked for, to be keys of `FINGERPRINT` or `OPTIONAL_FINGERPRINT`.

    Raises
    ------
    OptionError
        A word that is none.
    """
    for word in mix:
        if word not in _COMPARED:
            raise OptionError(
                f"mix names {word!r}, which is no part of how results are computed.{did_you_mean(word, _COMPARED)}",
                value=word, expected=" | ".join(_COMPARED), where="mix",
            )  # fmt: skip
