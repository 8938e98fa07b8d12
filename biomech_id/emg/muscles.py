"""Which muscles there are, in the order clinicians list them: from proximal to distal; `languages` says what pages call them."""

from __future__ import annotations

import csv
from pathlib import Path

from biomech_id.values import dataclass

_TABLES = Path(__file__).parent / "tables"


@dataclass(frozen=True)
class Muscle:
    """A muscle, or a group of muscles that one electrode cannot tell apart.

    Attributes
    ----------
    name : str
        As recipes and tables write it: "rectus_femoris".
    code : str
        Short, as other programs write it: "RECFEM"; a group's where nobody tells its muscles apart.
    region : str
        Where its electrode is: "trunk", "hip", "thigh", "shank" or "arm".
    order : int
        Place on a page, proximal first.
    joints : tuple[str, ...]
        Joints that it acts on: under their curves it is drawn.
    group : str
        The group it is one of, or "".
    """

    name: str
    code: str
    region: str
    order: int
    joints: tuple[str, ...]
    group: str


def read_rows(table: str) -> list[dict[str, str]]:
    """Return the rows of a table of this room.

    Parameters
    ----------
    table : str
        Name of the table, without ``.csv``.

    Returns
    -------
    list[dict[str, str]]
        Column -> text, one dictionary a row; comments are left out.
    """
    lines = (_TABLES / f"{table}.csv").read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def _muscle(row: dict[str, str]) -> Muscle:
    name, code, region, order, joints, group = row.values()
    return Muscle(name, code, region, int(order), tuple(joints.split()), group)


#: Name -> muscle, in the order of a page.
MUSCLES: dict[str, Muscle] = {
    row["muscle"]: _muscle(row) for row in sorted(read_rows("muscles"), key=lambda row: int(row["order"]))
}


def is_part_of(muscle: str, group: str) -> bool:
    """Whether a muscle belongs to a group, over any number of steps.

    Parameters
    ----------
    muscle : str
        Name of the muscle.
    group : str
        Name of the group.

    Examples
    --------
    >>> from biomech_id.emg.muscles import is_part_of
    >>> is_part_of("semitendinosus", "hamstrings")
    True
    """
    above = MUSCLES[muscle].group
    return bool(above) and (above == group or is_part_of(above, group))
