"""Everything one session yields, as tables: what is written under OUT, and all that a report is drawn from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, ForwardRef, TypeAlias, cast

import numpy as np
import pandas as pd

from biomech_id.algebra.arrays import FloatArray, IntArray
from biomech_id.algebra.compact_repr import compact_repr
from biomech_id.conventions import LAYERS_OF_MEANS, Aspect, Column, table_columns
from biomech_id.errors import Finding
from biomech_id.trial.examination import DIAGNOSIS, diagnosis_of
from biomech_id.values import dataclass, field, fields

if TYPE_CHECKING:
    Table: TypeAlias = pd.DataFrame
else:
    #: What rooms that do not know pandas call a table of it.
    Table = ForwardRef("pd.DataFrame", module=__name__)
#: Rows of one curve in `Tables.cycles`: 0, 1 ... 100 percent.
CURVE_POINTS = 101
#: Cells of a table that are made at a time where it is only written; text of a cell takes a hundred bytes meanwhile.
PIECE_CELLS = 100_000
#: Rows that are gathered before they become part of a table.
PIECE_ROWS = 10_000


@dataclass(frozen=True, eq=False)
class LateTable:
    """A table whose rows are made when somebody asks for them: the whole for whoever works with it, pieces for whoever writes it.

    Attributes
    ----------
    blocks : int
        How many there are of what is never torn apart: frames, curves.
    rows_of_block : int
        Rows of each.
    columns : int
        How many the table has.
    make : Callable[[slice], pd.DataFrame]
        Some blocks -> their rows.
    """

    blocks: int
    rows_of_block: int
    columns: int
    make: Callable[[slice], pd.DataFrame] | None

    def __getstate__(self) -> dict[str, Any]:
        # What makes the rows may hold an open file.
        return {**vars(self), "whole": self.whole, "make": None}

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.blocks * self.rows_of_block

    @cached_property
    def whole(self) -> pd.DataFrame:
        """All rows, made once; what they were made of is then let go."""
        make = self.make
        if make is not None:  # else another thread has made it
            vars(self).setdefault("whole", make(slice(None)))
            vars(self)["make"] = None
        return cast("pd.DataFrame", vars(self)["whole"])

    def pieces(self) -> Iterator[pd.DataFrame]:
        """Yield all rows, some at a time; at least one piece, which may be empty."""
        make = self.make
        if make is None:
            yield self.whole
            return
        step = max(1, PIECE_CELLS // (self.rows_of_block * self.columns))
        for first in range(0, max(self.blocks, 1), step):
            yield make(slice(first, first + step))


class LateTables(Mapping[str, "pd.DataFrame"]):
    """Name -> table, each made when it is asked for.

    Parameters
    ----------
    late : Mapping[str, LateTable]
        Name -> what makes it.
    """

    def __init__(self, late: Mapping[str, LateTable]) -> None:
        self.late = late

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self.late[name].whole

    def __iter__(self) -> Iterator[str]:
        return iter(self.late)

    def __len__(self) -> int:
        return len(self.late)


class _Late:
    """A field of `Tables` that takes a table or what makes it, and is a table for whoever asks."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tables: Any, owner: type | None = None) -> Any:
        table = None if tables is None else vars(tables)[self.name]
        return table.whole if isinstance(table, LateTable) else table

    def __set__(self, tables: Any, table: pd.DataFrame | LateTable | None) -> None:
        vars(tables)[self.name] = table


@compact_repr
@dataclass(frozen=True, eq=False)
class Tables:
    """The tables of one session, fresh from an analysis or read back from its folder: the two are the same type.

    Column names, order, meaning and units are data: `conventions.TABLES` for the tidy tables, `conventions.frame_columns`
    and `conventions.POINT_VARIABLES` for ``frames``, `conventions.cycle_rows` for the variables in ``cycles``, and
    `schema.documents.DOCUMENTS` for every key of the three mappings. In every DataFrame text cells are ``str`` (empty
    text, never NaN), numbers float64 (NaN = missing), counts int64 (``percent`` of ``norm`` is float64 because it may be missing).

    Attributes
    ----------
    frames : Mapping[str, pd.DataFrame]
        Trial name -> ``trials/<stem>.csv``, one row per video frame: ``frame``, ``time`` (s), then e.g. ``LHipAngles.X`` (deg),
        ``LHipMoment.X`` (N m/kg, internal), ``LHipForce.X`` (N/kg), ``LHipPower``, ``LHipPowerTranslational`` (W/kg),
        ``LGroundReactionForce.X`` (N/kg, laboratory axes), ``LGroundReactionMoment.X`` (N m/kg, about the laboratory's origin),
        ``LCentreOfPressure.X``, ``LHJC.X``, ``LKJC.X``, ``LAJC.X`` and the foot outline's points (mm, laboratory axes).
    cycles : pd.DataFrame
        ``trial side cycle kinetics_valid percent variable component value``. 101 successive rows (percent 0 to 100) are one curve.
        All angles, moments, forces, powers; ``GroundReactionForce`` X forward, Y towards the other foot, Z up (N/kg);
        ``FreeMoment`` Z (N m/kg); ``FootCentreOfPressure`` X from heel to toe, Y medially (mm, in the axes of the foot while it is
        flat; the outline in the same axes is in ``summary``). A curve without any value is left out: kinetics of a cycle whose
        ``kinetics_valid`` is ``false``, kinematics of a ``stance_only`` cycle. Use `curves` rather than filtering rows.
    budget : pd.DataFrame
        The same with ``part`` before ``value``; variables ``HipMoment KneeMoment AnkleMoment``, parts `conventions.BUDGET_PARTS`.
        Empty when no budget was asked for.
    spatiotemporal : pd.DataFrame
        ``trial side cycle parameter value unit``; cycle 0 is the whole trial.
    peaks : pd.DataFrame
        ``trial side cycle name variable component phase percent time_s value unit``.
    scores : pd.DataFrame
        ``condition side score variable component value unit norm_mean norm_sd``; empty without a norm.
    stances : pd.DataFrame
        ``trial side start_s end_s plate verdict reason rule``.
    gaps : pd.DataFrame
        ``trial marker first_frame last_frame method``.
    quality : pd.DataFrame
        ``trial rule value unit limit verdict`` (rules: `judgement.quality.RULES`).
    calibration : Mapping[str, Any], optional
        ``calibration.json``: what the model's calibration says of itself (static offsets, joint-centre method, segments with mass,
        centre of mass, tensor and their source).
    summary : Mapping[str, Any], optional
        ``summary.json``: the subject, the model, and for each trial its verdict, events, cycles, plates and history. A cycle says
        for each layer whether it ``counts``: whether it enters means and scores.
    manifest : Mapping[str, Any], optional
        ``manifest.json``; its ``outputs`` are empty until the folder has been written.
    norm : pd.DataFrame | None, optional
        ``norm.csv``: ``variable component percent mean sd n age_min_y age_max_y speed_min speed_max model kinetics source``, or
        None.
    parity : pd.DataFrame | None, optional
        ``parity.csv``: ``trial side variable axis unit rmse largest correlation frames worst_frame left_out equal``, the comparison
        with a vendor's stored outputs; None until ``biomech-id parity --report`` has made one.
    statistics : pd.DataFrame | None, optional
        ``statistics.csv``: every curve and number against the norm; None without one.
    deviations : pd.DataFrame | None, optional
        ``deviations.csv``: every rule of gait patterns that is met; None without a norm.
    uncertainty : pd.DataFrame | None, optional
        Standard deviations of joint moments and powers: ``trial side cycle kinetics_valid percent variable component``, a column
        for each of `conventions.ERROR_SOURCES`, ``total``. 101 successive rows a curve; None where nobody asked.
    channels : pd.DataFrame | None, optional
        ``channels.csv``: every analog channel that no plate uses with its muscle, verdict and numbers; None without muscle signals,
        as the next four.
    emg : pd.DataFrame | None, optional
        Envelopes of live channels, 101 rows a curve:
        ``trial label muscle side cycle percent value unit percent_peak verdict used``.
    emg_activity : pd.DataFrame | None, optional
        When live channels are on: ``trial label muscle side cycle on_s off_s on_percent off_percent``; cycle 0 is the whole trial.
    emg_pairs : pd.DataFrame | None, optional
        Co-contraction: ``trial side cycle joint first second value``.
    emg_raw : pd.DataFrame | None, optional
        Raw traces as pages draw them: ``trial label time_s lowest highest``.
    muscles : pd.DataFrame | None, optional
        ``trial side cycle percent muscle path standing_mm standing length_normal length_sd velocity coordinate moment_arm_mm``;
        None where the model has no muscles.
    muscle_forces : pd.DataFrame | None, optional
        ``trial side cycle percent muscle activation force_N sd_N least_N most_N at_limit``; None where nobody asked.
    joint_contact : pd.DataFrame | None, optional
        ``trial side cycle percent joint force_N body_weights sd_N least_N most_N anterior_N proximal_N to_the_right_N
        intersegmental_N reserve_share residual_N``; None as above.
    whole_body : pd.DataFrame | None, optional
        ``trial time_s variable component value unit`` (variables: `session.output.whole_body.WHOLE_BODY_VARIABLES`); None where no
        trial shows the whole body.
    examination : pd.DataFrame | None, optional
        ``examination.csv``: values of the clinical examination; None without one.
    further : Mapping[str, pd.DataFrame], optional
        Name -> table that a laboratory has registered (`session.output.further_tables`).
    """

    frames: Mapping[str, pd.DataFrame]
    cycles: pd.DataFrame
    budget: pd.DataFrame
    spatiotemporal: pd.DataFrame
    peaks: pd.DataFrame
    scores: pd.DataFrame
    stances: pd.DataFrame
    gaps: pd.DataFrame
    quality: pd.DataFrame
    calibration: Mapping[str, Any] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    manifest: Mapping[str, Any] = field(default_factory=dict)
    norm: pd.DataFrame | None = None
    parity: pd.DataFrame | None = None
    statistics: pd.DataFrame | None = None
    deviations: pd.DataFrame | None = None
    uncertainty: pd.DataFrame | None = None
    channels: pd.DataFrame | None = None
    emg: pd.DataFrame | None = None
    emg_activity: pd.DataFrame | None = None
    emg_pairs: pd.DataFrame | None = None
    emg_raw: pd.DataFrame | None = None
    muscles: pd.DataFrame | None = None
    muscle_forces: pd.DataFrame | None = None
    joint_contact: pd.DataFrame | None = None
    whole_body: pd.DataFrame | None = None
    examination: pd.DataFrame | None = None
    further: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def held(self, name: str) -> pd.DataFrame | LateTable | None:
        """Return a table as it is held, so that its rows need not be made.

        Parameters
        ----------
        name : str
            One of the fields.
        """
        table: pd.DataFrame | LateTable | None = vars(self)[name]
        return table

    def with_others(self, **others: Any) -> Tables:
        """Return the same tables but for some, as ``dataclasses.replace`` does, which makes the rows of all of them.

        Parameters
        ----------
        others : Any
            Fields, by name.
        """
        return Tables(**{each.name: vars(self)[each.name] for each in fields(self)} | others)

    @cached_property
    def cycle_list(self) -> pd.DataFrame:
        """Every cycle, one row each:
        ``trial kind condition`` and the fields of ``summary["trials"][i]["cycles"]``.
        """
        rows = [
            {name: trial[key] for name, key in (("trial", "name"), ("kind", "kind"), ("condition", "condition"))}
            | {"reasons": (), "sound": True, **cycle}
            | {layer: bool(one["counts"]) for layer, one in layers.items()}
            | {f"{layer}_by_rules": bool(one["by_rules"]) for layer, one in layers.items()}
            | in_means(layers, straight=trial["kind"] == "straight")
            for trial in self.summary.get("trials", ())
            for cycle in trial["cycles"]
            for layers in (cycle_layers(cycle, trial["kind"]),)
        ]
        columns = [
            "trial", "kind", "condition", "side", "cycle", "start_s", "end_s", "foot_off_s", "opposite_off_s", "opposite_strike_s",
            "foot_off_percent", "opposite_off_percent", "opposite_strike_percent", "kinetics_valid", "used", "sound",
            "reason", "reasons", "used_by_rules", *Aspect, *(f"{layer}_by_rules" for layer in Aspect),
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=columns)

    def calibration_of(self, condition: str | None) -> Mapping[str, Any]:
        """Return the calibration of a condition's walks: by its own static, or by the first one.

        Parameters
        ----------
        condition : str | None
            Of the trials; None for the first static.
        """
        own: Mapping[str, Any] = self.calibration.get("conditions", {}).get(condition, self.calibration)
        return own

    @property
    def diagnosis(self) -> str:
        """The person's diagnosis as it was written; empty where there is none, or nobody wrote one."""
        rows = self.examination
        of_examination = [] if rows is None else rows.loc[rows["test"] == DIAGNOSIS, "raw"].tolist()
        return diagnosis_of(of_examination, self.summary.get("clinic") or {})

    @cached_property
    def _curve_places(self) -> dict[tuple[str, str, str], list[tuple[str, int, int]]]:
        """(side, variable, component) -> [(trial, cycle, number of the curve in ``cycles``)]."""
        heads = self.cycles.iloc[::CURVE_POINTS]
        places: dict[tuple[str, str, str], list[tuple[str, int, int]]] = {}
        names = zip(heads["trial"], heads["side"], heads["cycle"], heads["variable"], heads["component"], strict=True)
        for number, (trial, side, cycle, variable, component) in enumerate(names):
            places.setdefault((side, variable, component), []).append((trial, int(cycle), number))
        return places

    def curves(self, side: str, variable: str, component: str = "", *, cycles: pd.DataFrame | None = None) -> FloatArray:
        """Return one variable of many cycles.

        Parameters
        ----------
        side : str
            As in ``cycles``, ``"L", "HipAngles", "X"``.
        variable : str
            As in ``cycles``, ``"L", "HipAngles", "X"``.
        component : str, optional
            As in ``cycles``, ``"L", "HipAngles", "X"``.
        cycles : pd.DataFrame | None, optional
            Rows of `cycle_list` that are wanted; all of them where None. Cycles without this curve are left out.

        Returns
        -------
        FloatArray
            (n, 101), one row per cycle in table order, in the unit of the sign table; NaN where missing; (0, 101) if there is none.
        """
        places = self._curve_places.get((side, variable, component), [])
        if cycles is not None:
            wanted = set(zip(cycles["trial"], cycles["side"], cycles["cycle"], strict=True))
            places = [place for place in places if (place[0], side, place[1]) in wanted]
        values = self.cycles["value"].to_numpy().reshape(-1, CURVE_POINTS)
        return np.asarray(values[[number for _, _, number in places]], dtype=np.float64)

    def extremes(self, cycles: pd.DataFrame) -> dict[tuple[str, str], tuple[float, float]]:
        """Return (variable, component) -> lowest and highest value that the curves of some cycles reach, both sides together.

        Parameters
        ----------
        cycles : pd.DataFrame
            Rows of `cycle_list` that are wanted.
        """
        wanted = set(zip(cycles["trial"], cycles["side"], cycles["cycle"], strict=True))
        curves = self.cycles["value"].to_numpy().reshape(-1, CURVE_POINTS)
        known = np.isfinite(curves)
        lowest = np.where(known, curves, np.inf).min(axis=1, initial=np.inf)
        highest = np.where(known, curves, -np.inf).max(axis=1, initial=-np.inf)
        extremes: dict[tuple[str, str], tuple[float, float]] = {}
        for (side, variable, component), places in self._curve_places.items():
            numbers = [number for trial, cycle, number in places if (trial, side, cycle) in wanted]
            if numbers:
                low, high = extremes.get((variable, component), (np.inf, -np.inf))
                extremes[variable, component] = (
                    min(low, float(lowest[numbers].min())), max(high, float(highest[numbers].max()))
                )  # fmt: skip
        return {name: ends for name, ends in extremes.items() if ends[0] <= ends[1]}


for _name in ("cycles", "budget", "uncertainty"):
    setattr(Tables, _name, _Late(_name))


def cycle_layers(cycle: Mapping[str, Any], kind: str) -> dict[str, Mapping[str, Any]]:
    """Return layer -> whether that layer of a cycle counts, and what it would without anybody's decision.

    Parameters
    ----------
    cycle : Mapping[str, Any]
        As in ``summary.json``; those of schemas 1 and 2 have one answer for all layers.
    kind : str
        Kind of movement of its trial.
    """
    if Aspect.KINEMATICS in cycle:
        return {str(layer): cycle[layer] for layer in Aspect}
    word = "used" if kind == "straight" else "sound"
    counts = cycle.get(word, True)
    layers: dict[str, Mapping[str, Any]] = {}
    for layer in Aspect:
        has = cycle["kinetics_valid"] != ("false" if layer is Aspect.KINETICS else "stance_only")
        by_rules = has and cycle.get(f"{word}_by_rules", counts)
        layers[str(layer)] = {"counts": has and counts, "by_rules": by_rules, "has": has, "reasons": ()}
    return layers


def in_means(layers: Mapping[str, Mapping[str, Any]], *, straight: bool) -> dict[str, bool]:
    """Return whether a cycle is in means of angles or of loads of straight walks, and whether the rules alone put it there.

    Parameters
    ----------
    layers : Mapping[str, Mapping[str, Any]]
        Layer -> its answers, as of `cycle_layers`.
    straight : bool
        Whether its trial is a straight walk.
    """
    return {
        name: straight and any(bool(layers[layer][answer]) for layer in LAYERS_OF_MEANS)
        for name, answer in (("used", "counts"), ("used_by_rules", "by_rules"))
    }


def finding_records(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings as ``summary.json`` holds them.

    Parameters
    ----------
    findings : Iterable[Finding]
        Of a trial, or of the session.
    """
    return [{**f.to_dict(), "severity": str(f.severity), "message": f.message, "hint": f.hint, "where": f.where} for f in findings]


#: Column kind -> type in memory.
_TYPES = {"text": "str", "integer": "int64", "number": "float64"}


def tidy_table(name: str, rows: Sequence[Mapping[str, object]] = (), columns: Sequence[Column] | None = None) -> pd.DataFrame:
    """Return rows as the tidy table of that name in `conventions.TABLES`, with exactly its columns and types.

    Parameters
    ----------
    name : str
        Of the table, "stances".
    rows : Sequence[Mapping[str, object]], optional
        Each a mapping that has at least the table's columns; text may be an enumeration's member.
    columns : Sequence[conventions.Column] | None, optional
        Of a table that is not in `conventions.TABLES`.
    """
    wanted = columns or table_columns(name)
    return pd.DataFrame({column.name: _typed(_cells(rows, column), column) for column in wanted})


def tidy_in_pieces(name: str, rows: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Return `tidy_table` of rows that are never all there at once: as mappings they take ten times the table's memory.

    Parameters
    ----------
    name : str
        Of the table, "peaks".
    rows : Iterable[Mapping[str, object]]
        As for `tidy_table`.
    """
    left = iter(rows)
    pieces = [tidy_table(name, some) for some in iter(lambda: list(islice(left, PIECE_ROWS)), [])]
    return pd.concat(pieces, ignore_index=True) if len(pieces) > 1 else pieces[0] if pieces else tidy_table(name)


def block_table(
    name: str, heads: Sequence[Mapping[str, object]], counts: int | IntArray, numbers: Mapping[str, FloatArray | IntArray]
) -> pd.DataFrame:
    """Return a tidy table of `conventions.TABLES` in which successive rows share what heads them: curves, traces.

    Parameters
    ----------
    name : str
        Of the table, "cycles".
    heads : Sequence[Mapping[str, object]]
        What each block's rows have in common: one mapping a block.
    counts : int | IntArray
        Rows of every block, or of each (n_blocks,).
    numbers : Mapping[str, FloatArray | IntArray]
        Column -> its values, one a row, in the order of the blocks.
    """
    return pd.DataFrame({
        column.name: np.asarray(numbers[column.name], dtype=_TYPES[column.kind]) if column.name in numbers
        else _typed(_cells(heads, column), column).repeat(counts)
        for column in table_columns(name)
    }, copy=False)  # fmt: skip


def _typed(cells: Sequence[object], column: Column) -> Any:
    """A column's cells in its type, as an array that can be repeated."""
    dtype = _TYPES[column.kind]
    return pd.Series(list(cells), dtype=dtype).array if column.kind == "text" else np.array(cells, dtype=dtype)


def _cells(rows: Sequence[Mapping[str, object]], column: Column) -> list[object]:
    """The rows' values in a column; what the first tables had not is empty where a row does not say it."""
    name = column.name
    if column.added:
        nothing = "" if column.kind == "text" else float("nan")
        values = [row.get(name, nothing) for row in rows]
    else:
        values = [row[name] for row in rows]
    return [str(value) for value in values] if column.kind == "text" else values
