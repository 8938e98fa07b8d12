"""Names that damage has most likely changed: one character away from a name that the file's other names ask for.

A C3D file holds every label once, without a checksum; but people and programs name things in families. Of LKNE RKNE LANK RAXK the
last is the odd one, because the others come in pairs; of Fx1 Fy1 Fz1 Fx2 Fq2 Fz2 the fifth, because axes and plates do. A name is
only doubted where the missing name and the stranger differ in one character, so that a laboratory's own names are left alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

#: Characters that names are made of besides letters and digits; what else stands in one is rare enough to be said.
USUAL = frozenset("_.:*+-#/()[]&' ")
#: Pairs ask for what is missing where at least this share of the sided names has its partner, and numbers where so many names share
#: them.
PAIRED_SHARE, FAMILIES = 0.6, 3
_SIDE = re.compile(
    r"(?<![A-Za-z])(?:Left|Right|left|right|LEFT|RIGHT)(?![a-z])"
    r"|(?<![A-Za-z])[LRlr](?=[\W_]|\Z)|\A[LRlr](?=[A-Za-z])|(?<=[_.\- ])[LR](?=[A-Z])"
)
_NUMBER = re.compile(r"\d+")
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}
_AXES = ("xyz", "XYZ")


def unusual(names: Sequence[str]) -> list[str]:
    """Return names that hold characters which are seldom meant.

    Parameters
    ----------
    names : Sequence[str]
        As stored, with blanks for what no font shows.

    Returns
    -------
    list[str]
        In the order given: those with characters beyond letters, digits and common signs, or with two blanks in a row where most
        have none.

    Examples
    --------
    >>> from biomech_id.readers.c3d.doubtful_names import unusual
    >>> unusual(["LASI", "RASI", "LP{I", "LKNE  x"])
    ['LP{I', 'LKNE  x']
    """
    spaced = [name for name in names if "  " in name]
    # Some software fills the middle of every label with blanks.
    odd = set(spaced) if len(spaced) <= len(names) // 2 else set()
    return [
        name
        for name in names
        if name in odd or not (name.isascii() and name.isprintable()) or any(not c.isalnum() and c not in USUAL for c in name)
    ]


def doubtful(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return names that are most likely damaged.

    Parameters
    ----------
    names : Sequence[str]
        Of markers or of channels.

    Returns
    -------
    list[tuple[str, str]]
        Each with the name that the others ask for; none where two doubted names would ask for the same.

    Examples
    --------
    >>> from biomech_id.readers.c3d.doubtful_names import doubtful
    >>> doubtful(["LASI", "RASI", "LKNE", "RKNE", "LANK", "RANK", "LTOE", "RT_E", "C7", "T10"])
    [('LTOE', 'LT_E'), ('RT_E', 'RTOE')]
    >>> doubtful(["Fx1", "Fy1", "Fz1", "Mx1", "My1", "Mz1", "Fx2", "Fq2", "Fz2", "Mx2", "My2", "Mz2"])
    [('Fq2', 'Fy2')]
    """
    known = set(names)
    asked: dict[str, set[str]] = {}
    related: set[str] = set()
    for kin in (_pairs, _numbers, _axes):
        wanted, families = kin(known)
        related |= families
        for name, asking in wanted.items():
            asked.setdefault(name, set()).update(asking)
    strangers = [name for name in names if name not in related]
    likeliest = {}
    for name in strangers if asked else ():
        near = sorted(other for other, asking in asked.items() if asking - {name} and one_apart(name, other))
        if near:
            likeliest[name] = near[0]
    # Two strangers that could both be the missing one tell nothing.
    times = Counter(likeliest.values())
    return [(name, other) for name, other in likeliest.items() if times[other] == 1]


def unlike_descriptions(names: Sequence[str], descriptions: Sequence[str]) -> list[tuple[str, str]]:
    """Return names that differ in one character from their description.

    Parameters
    ----------
    names : Sequence[str]
        Of markers or of channels.
    descriptions : Sequence[str]
        One for each name, where the file has any.

    Returns
    -------
    list[tuple[str, str]]
        (name, description); empty where fewer than half of the descriptions repeat their names.

    Examples
    --------
    >>> from biomech_id.readers.c3d.doubtful_names import unlike_descriptions
    >>> unlike_descriptions(["L_IAS", "R_IXS", "L_IPS"], ["L_IAS", "R_IAS", "L_IPS"])
    [('R_IXS', 'R_IAS')]
    """
    pairs = [(name, description) for name, description in zip(names, descriptions, strict=False) if name and description]
    if 2 * sum(name == description for name, description in pairs) <= len(pairs):
        return []
    return [(name, description) for name, description in pairs if name != description and one_apart(name, description)]


def _mirrored(name: str) -> str | None:
    """The name of the other side, None for a name without one."""
    bare = name.rpartition(":")[2]
    match = _SIDE.search(bare)
    if match is None:
        return None
    word = match.group()
    other = _OTHER[word.lower()]
    other = other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other
    return name[: len(name) - len(bare)] + bare[: match.start()] + other + bare[match.end() :]


#: Names that are missing, each with those that ask for it; and names that have their relatives.
_Kin = tuple[dict[str, set[str]], set[str]]


def _pairs(known: set[str]) -> _Kin:
    """Names of one side without the other's."""
    partners = {name: partner for name in known if (partner := _mirrored(name))}
    paired = {name for name, partner in partners.items() if partner in known}
    alone = {partner: {name} for name, partner in partners.items() if name not in paired}
    return (alone if len(paired) >= max(4, PAIRED_SHARE * len(partners)) else {}), paired


def _numbers(known: set[str]) -> _Kin:
    """Families told apart by a number that lack one: of the set of numbers that most share, or of a run from 1."""
    families: dict[str, dict[int, str]] = defaultdict(dict)
    for name in known:
        for match in list(_NUMBER.finditer(name))[-1:]:
            families[f"{name[: match.start()]}#{name[match.end() :]}"][int(match.group())] = name
    shared = Counter(frozenset(numbers) for numbers in families.values() if len(numbers) > 1)
    usual, count = max(shared.items(), key=lambda item: item[1], default=(frozenset[int](), 0))
    missing: dict[str, set[str]] = {}
    for stem, members in families.items():
        numbers, names = set(members), set(members.values())
        wanted = set(usual) if count >= FAMILIES and len(usual - numbers) == 1 and usual > numbers else set()
        if len(numbers) > FAMILIES and len(set(range(1, max(numbers) + 1)) - numbers) <= 1:
            wanted = set(range(1, max(numbers) + 2))
        digits = min(map(len, names)) - len(stem) + 1
        missing |= {stem.replace("#", f"{number:0{digits}d}", 1): names for number in wanted - numbers}
    return missing, {name for numbers in families.values() if len(numbers) > 1 for name in numbers.values()}


def _axes(known: set[str]) -> _Kin:
    """Names along two of three axes."""
    missing: dict[str, set[str]] = {}
    related: set[str] = set()
    for name in known:
        for axes in _AXES:
            for place in (place for place, character in enumerate(name) if character in axes):
                three = {name[:place] + axis + name[place + 1 :] for axis in axes}
                present = three & known
                if len(present) > 1:
                    related |= present
                if len(present) == 2:
                    missing |= dict.fromkeys(three - known, present)
    return missing, related


def one_apart(one: str, other: str) -> bool:
    """Return whether two names differ in one character, blanks that fill them up included.

    Parameters
    ----------
    one, other : str
        Names; the shorter is filled up with blanks at either end.

    Returns
    -------
    bool
        False for equal names and for a name of one character.

    Examples
    --------
    >>> from biomech_id.readers.c3d.doubtful_names import one_apart
    >>> one_apart("LASI", "LASIx"), one_apart("LASI", "RASX")
    (True, False)
    """
    width = max(len(one), len(other))
    rows: Iterable[tuple[str, str]] = ((one.ljust(width), other.ljust(width)), (one.rjust(width), other.rjust(width)))
    return len(one) > 1 and any(sum(a != b for a, b in zip(*row, strict=True)) == 1 for row in rows)
