"""The words of a channel's label: devices, numbers and units away, camel case split, accents gone; and the side they name."""

from __future__ import annotations

import re
import unicodedata

from biomech_id.conventions import SIDES
from biomech_id.emg.muscles import read_rows

#: Kind of word -> words: those of devices, inputs and units, of sides in the languages laboratories write, French ones.
WORDS: dict[str, frozenset[str]] = {row["kind"]: frozenset(row["words"].split()) for row in read_rows("words")}
SIDES_WRITTEN: dict[str, str] = {word: side for side in SIDES for word in WORDS[side]}
#: French initials: a side only where a file has both of them for one muscle.
SIDE_INITIALS: dict[str, str] = {"g": "L", "d": "R"}
#: Words of signals that are no muscle's, whatever they look like.
OTHER_SIGNALS = re.compile(
    r"^(fs|fsw|lfs|rfs|fsr|(foot)?switch(es)?|sync\w*|synch\w*|trig\w*|digital|opto\w*|gonio\w*|gon|acc|accel\w*|gyro\w*|magnet\w*|"
    r"acc[xyz]|gyr[xyz]|mag[xyz]|pin|force|moment|torque|cop\w*|plate|platform|forceplate|treadmill|tapis|walkway|nothing|unused|"
    r"encoder|pressure|insole|temp\w*|ecg|ekg|eog|eeg|angle|velocity|speed|stim\w*|button|clock|timer|battery|load|cell|strain|"
    r"(fp|pf)\d*|(fp|pf|p)?\d*[fm][xyz]\d*|amti|kistler|bertec)$"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_BRACKETS = re.compile(r"[\[(][^\])]*[\])]")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a label or description.

    Parameters
    ----------
    text : str
        As the file writes it; of a description what follows the device's name and ``::``.

    Returns
    -------
    tuple[str, ...]
        In lower case; numbers stay, devices' names and units go.

    Examples
    --------
    >>> from biomech_id.emg.words import words_of
    >>> words_of("Voltage.6_R_vats_lat"), words_of("RRecFem.EMG7"), words_of("Analog EMG::Voltage [3,5]")
    (('6', 'r', 'vats', 'lat'), ('r', 'rec', 'fem', '7'), ())
    """
    unbracketed = _BRACKETS.sub(" ", text.rpartition("::")[2]).translate(_UMLAUTS)
    plain = "".join(mark for mark in unicodedata.normalize("NFKD", unbracketed) if not unicodedata.combining(mark))
    split = re.split(r"[^A-Za-z0-9]+", _CAMEL.sub(" ", plain))
    return tuple(word for word in (part.lower() for part in split) if word and word not in WORDS["device"])


def names_other_signal(text: str) -> str:
    """Return the word by which a label says that it is no muscle's signal.

    Parameters
    ----------
    text : str
        Label or description, as the file writes it.

    Returns
    -------
    str
        In lower case; "" where none does.
    """
    unbracketed = _BRACKETS.sub(" ", text.rpartition("::")[2])
    whole = [word.lower() for word in re.split(r"[^A-Za-z0-9]+", unbracketed) if word]
    parts = [part for word in re.split(r"[^A-Za-z0-9]+", _CAMEL.sub(" ", unbracketed)) for part in (word.lower(),) if part]
    return next((word for word in (*whole, *parts) if OTHER_SIGNALS.match(word)), "")


def says_emg(text: str) -> bool:
    """Whether a label or description, the device's name included, says EMG.

    Parameters
    ----------
    text : str
        Label or description, the device's name included.
    """
    return re.search(r"(?<![A-Za-z])(s?EMG|IM ?EMG|MG(?=[-_ ]?\d)|myo\w*|electromyo\w*)(?![a-z])", text, re.IGNORECASE) is not None
