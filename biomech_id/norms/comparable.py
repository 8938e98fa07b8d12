"""What of a norm may be laid over a session: everything but what was computed otherwise there and here.

A norm may be of several bandwidths of the plates: joint loads, which alone hang on it, then stand once for each, and those of the
session's own bandwidth are its norm. What differs otherwise leaves out of the norm what it touches (`TOUCHED`), and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import pandas as pd

from biomech_id.conventions import UPPER_VARIABLES, SignRow, cycle_rows
from biomech_id.errors import Finding
from biomech_id.languages import Sentence
from biomech_id.session.values.fingerprint import FINGERPRINT, check_mix, differing
from biomech_id.session.values.norm import by_bandwidth

#: Rule of the finding that something of a norm was computed otherwise than a session and is not laid over it.
LEFT_OUT = "norm-part-left-out"
#: Key of `FINGERPRINT` -> whether a variable of the sign table hangs on it; parameters and muscles hang on none.
TOUCHED: dict[str, Callable[[SignRow], bool]] = {
    "model": lambda _: True,
    "hip_centre": lambda row: row.joint != "pelvis" and row.variable not in UPPER_VARIABLES,
    "kinetics": lambda row: row.kinetic or row.variable in UPPER_VARIABLES,
    "bandwidth": lambda row: row.kinetic,
}


def hangs_on(variable: str, key: str) -> bool:
    """Whether a row of a norm hangs on one way in which sessions are computed.

    Parameters
    ----------
    variable : str
        As in ``norm.csv``: "KneeMoment", "max_stance.KneeMoment", "cadence", "GPS".
    key : str
        One of `session.values.fingerprint.FINGERPRINT`.

    Returns
    -------
    bool
        True where two ways of computing give other values of it.

    Examples
    --------
    >>> from biomech_id.norms.comparable import hangs_on
    >>> [hangs_on(name, "bandwidth") for name in ("KneeMoment", "percent_of_A2.AnklePower", "KneeAngles", "cadence")]
    [True, True, False, False]
    """
    return _hangs(variable, key, _touched(key))


def _touched(key: str) -> set[str]:
    return {row.variable for row in cycle_rows() if TOUCHED[key](row)}


def _hangs(variable: str, key: str, touched: Collection[str]) -> bool:
    return key in ("model", "hip_centre") if variable.startswith("GPS") else variable.rsplit(".", 1)[-1] in touched


def several_bandwidths(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return one norm of several bandwidths of the plates: joint loads once for each, everything else once.

    Parameters
    ----------
    tables : Mapping[str, pd.DataFrame]
        Bandwidth -> norm of the same people, alike in everything that does not hang on it.

    Returns
    -------
    pd.DataFrame
        Rows of all, with the column ``bandwidth``; empty in it where a row does not hang on plates.
    """
    parts: list[pd.DataFrame] = []
    for words, table in tables.items():
        loads = _hanging(table, "bandwidth")
        parts += [] if parts else [table[~loads].assign(bandwidth="")]
        parts.append(table[loads].assign(bandwidth=words))
    return pd.concat(parts, ignore_index=True)


def fingerprint_of_norm(norm: pd.DataFrame) -> dict[str, str]:
    """Return what a norm says of how it was computed, as `session.values.fingerprint.fingerprint_of`; of several bandwidths each.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, as `read_norm` returns it.

    Returns
    -------
    dict[str, str]
        Key of `FINGERPRINT` -> words; what it does not say is left out.
    """
    stored = {key: [word for word in norm[key].unique() if isinstance(word, str) and word] for key in FINGERPRINT if key in norm}
    return {key: ", ".join(words) for key, words in stored.items() if words}


def comparable_norm(
    norm: pd.DataFrame, computed: Mapping[str, str], *, mix: Collection[str] = (), where: str = "norm"
) -> tuple[pd.DataFrame, tuple[Finding, ...]]:
    """Return what of a norm was computed as a session was, of one bandwidth, and what is said of the rest.

    Parameters
    ----------
    norm : pd.DataFrame
        A whole norm, of any number of bandwidths.
    computed : Mapping[str, str]
        Of the session, as of `session.values.fingerprint.fingerprint_of`.
    mix : Collection[str], optional
        Keys of `session.values.fingerprint.FINGERPRINT` in which the two may differ.
    where : str, optional
        The norm's file, for findings.

    Returns
    -------
    tuple[pd.DataFrame, tuple[Finding, ...]]
        Rows that may be compared, and a finding for each key in which the others differ.

    Raises
    ------
    OptionError
        ``mix`` names what is no part of a fingerprint.
    """
    check_mix(mix)
    norm, known = _of_one_bandwidth(norm, computed, mix)
    apart = {key: words for key, words in differing(known, computed).items() if key not in mix}
    for key in apart:
        norm = norm[~_hanging(norm, key)]
    findings = (
        Finding(LEFT_OUT, {"key": key, "norm": _each(theirs), "own": _each(own)}, where) for key, (theirs, own) in apart.items()
    )
    return norm, tuple(findings)


def _each(words: str) -> tuple[Sentence, ...]:
    """Ways of computing as a language calls them."""
    return tuple(Sentence("computed-with", {"words": word}) for word in words.split(", "))


def _of_one_bandwidth(norm: pd.DataFrame, computed: Mapping[str, str], mix: Collection[str]) -> tuple[pd.DataFrame, dict[str, str]]:
    """The rows of the session's bandwidth where a norm has several, the first one's if none fits, and the norm's fingerprint."""
    known, each = fingerprint_of_norm(norm), by_bandwidth(norm)
    if "" in each:
        return norm, known
    own = computed.get("bandwidth", "")
    chosen = own if own in each else next(iter(each))
    bandwidth = {"bandwidth": chosen} if chosen == own or "bandwidth" in mix else {}
    return each[chosen].assign(bandwidth=chosen).reset_index(drop=True), known | bandwidth


def _hanging(norm: pd.DataFrame, key: str) -> pd.Series[bool]:
    """Rows that hang on one way in which sessions are computed."""
    touched = _touched(key)
    hanging = {name: _hangs(str(name), key, touched) for name in norm["variable"].unique()}
    return norm["variable"].map(hanging).astype(bool)
