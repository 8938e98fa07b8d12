"""Tables whose rows are made piece by piece: the same bytes as those made whole, whatever the size of a piece."""

from __future__ import annotations

import errno
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from biomech_id.errors import OutputError
from biomech_id.session import trial_tables
from biomech_id.session.bands import uncertainty
from biomech_id.session.folder.read_write import write_folder
from biomech_id.session.output.from_session import session_tables
from biomech_id.session.session import Session
from biomech_id.session.solved import Solved
from biomech_id.session.tables import session_tables as tables_module
from biomech_id.session.tables.session_tables import LateTable, LateTables, Tables, tidy_in_pieces, tidy_table
from biomech_id.signal import runs
from biomech_id.signal.filters import lowpass
from biomech_id.uncertainty import marker_errors

LATE = ("cycles", "budget", "uncertainty")


def late(tables: Tables, name: str) -> LateTable:
    table = tables.held(name)
    assert isinstance(table, LateTable), name
    return table


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*.csv")}


@pytest.mark.parametrize("cells", [1, 3000, 10**9])
def test_written_piece_by_piece_a_folder_is_the_same(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    whole = session_tables(session)
    write_folder(replace(whole, frames=dict(whole.frames)), tmp_path / "whole")  # `replace` makes the rows of every table
    monkeypatch.setattr(tables_module, "PIECE_CELLS", cells)
    tables = session_tables(session)
    write_folder(tables, tmp_path / "pieces")
    assert files(tmp_path / "pieces") == files(tmp_path / "whole")
    assert isinstance(tables.frames, LateTables)
    assert not any("whole" in vars(each) for each in (*(late(tables, name) for name in LATE), *tables.frames.late.values()))


@pytest.mark.parametrize("name", LATE)
def test_pieces_are_whole_curves_and_add_up_to_the_table(session: Session, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    table = late(session_tables(session), name)
    monkeypatch.setattr(tables_module, "PIECE_CELLS", 7 * table.rows_of_block * table.columns)
    pieces = list(table.pieces())
    assert {len(piece) for piece in pieces[:-1]} == {7 * 101}
    pd.testing.assert_frame_equal(pd.concat(pieces, ignore_index=True), table.whole)
    assert len(table) == len(table.whole)
    assert len(table.whole.columns) == table.columns


def test_other_summaries_make_no_rows_and_share_them_later(session: Session) -> None:
    tables = session_tables(session)
    other = tables.with_others(summary={})
    assert other.held("cycles") is tables.held("cycles")
    assert "whole" not in vars(late(other, "cycles"))
    assert other.cycles is tables.cycles
    assert other.summary == {}
    assert other.peaks is tables.peaks


def test_what_somebody_changed_in_a_table_is_written(session: Session, tmp_path: Path) -> None:
    tables = session_tables(session)
    tables.cycles.loc[0, "value"] = 123.5
    write_folder(tables, tmp_path / "out")
    assert pd.read_csv(tmp_path / "out" / "cycles.csv")["value"][0] == 123.5


def test_a_copy_of_a_table_has_its_rows(session: Session) -> None:
    tables = session_tables(session)
    again = pickle.loads(pickle.dumps(tables.with_others(calibration={}, summary={}, manifest={})))
    for name in LATE:
        pd.testing.assert_frame_equal(getattr(again, name), getattr(tables, name))


def test_a_table_without_rows_is_one_empty_piece() -> None:
    (piece,) = LateTable(0, 101, 1, lambda some: pd.DataFrame({"value": np.empty(0)[some]})).pieces()
    assert list(piece.columns) == ["value"]


@pytest.mark.parametrize("count", [0, 1, 3, 4, 8])
def test_rows_gathered_in_pieces_are_the_same_table(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(tables_module, "PIECE_ROWS", 3)
    gap = {"trial": "walk", "marker": "", "method": "spline"}
    rows = [{**gap, "first_frame": i, "last_frame": 2 * i, "error_mm": i / 3, "marker_before": ""} for i in range(count)]
    pd.testing.assert_frame_equal(tidy_in_pieces("gaps", iter(rows)), tidy_table("gaps", rows))


def test_rows_of_uncertainty_on_disk_are_the_same(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    held = session_tables(session).uncertainty
    monkeypatch.setattr(uncertainty, "HELD_BYTES", 1)
    on_disk = late(session_tables(session), "uncertainty")
    assert held is not None
    for first in (0, 5, on_disk.blocks // 2, on_disk.blocks - 4):
        some = held.iloc[first * 101 : (first + 4) * 101].reset_index(drop=True)
        assert on_disk.make is not None
        pd.testing.assert_frame_equal(on_disk.make(slice(first, first + 4)), some)
    pd.testing.assert_frame_equal(on_disk.whole, held)


def test_threads_read_rows_on_disk_side_by_side(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """They shared one place in the file: numbers of other rows, without a word."""
    monkeypatch.setattr(uncertainty, "HELD_BYTES", 1)
    on_disk = late(session_tables(session), "uncertainty")
    make = on_disk.make
    assert make is not None
    places = [slice(first, first + 3) for first in range(0, on_disk.blocks - 3, 7)]
    alone = [make(some).to_csv() for some in places]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda some: make(some).to_csv(), places * 3)) == alone * 3


def test_one_table_for_all_threads(session: Session) -> None:
    table = late(session_tables(session), "cycles")
    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda _: table.whole, range(8)))
    assert all(each is made[0] for each in made)


def test_a_full_disk_for_temporary_files_is_one_sentence(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(uncertainty, "HELD_BYTES", 1)
    monkeypatch.setattr(uncertainty, "TemporaryFile", full)
    with pytest.raises(OutputError, match=r"do not fit .*No space left.*TMPDIR"):
        session_tables(session)


def test_peaks_have_their_sds_in_whatever_order_the_cycles_stand(trial: Solved) -> None:
    own = replace(trial, errors={side: replace(of_leg) for side, of_leg in trial.errors.items()})
    sds = sorted(str(row["sd"]) for row in trial_tables.peaks(own))
    turned = replace(own, cycles=own.cycles[::-1])
    assert sorted(str(row["sd"]) for row in trial_tables.peaks(turned)) == sds


def test_bands_of_a_long_trial_are_the_same_and_kept_by_nobody(trial: Solved, monkeypatch: pytest.MonkeyPatch) -> None:
    short = replace(trial, errors={side: replace(of_leg) for side, of_leg in trial.errors.items()})
    rows = trial_tables.peaks(short)
    monkeypatch.setattr(trial_tables, "KEPT_FRAMES", 0)
    long = replace(trial, errors={side: replace(of_leg) for side, of_leg in trial.errors.items()})
    laid = {name: uncertainty.LaidRows(name) for name in LATE}
    assert list(map(str, trial_tables.peak_rows(long, laid))) == list(map(str, rows))
    assert not any(trial_tables._computed(of_leg) for of_leg in long.errors.values())
    assert all(trial_tables._computed(of_leg) for of_leg in short.errors.values())
    _, columns = trial_tables.uncertainty_rows(short)
    np.testing.assert_array_equal(laid["uncertainty"].late().whole["total"], columns["total"])
    for name, table in (("cycles", trial_tables.curves), ("budget", trial_tables.trial_budget)):
        pd.testing.assert_frame_equal(laid[name].late().whole, table(short).to_dataframe(name))
        assert table.__wrapped__ not in vars(long)["_kept"]


def test_a_spline_between_many_looks_takes_those_around(monkeypatch: pytest.MonkeyPatch) -> None:
    known = np.cumsum(np.random.default_rng(0).integers(6, 11, 80))
    values = np.random.default_rng(1).normal(size=(80, 3))
    for wanted in (np.arange(200, 330), np.arange(0, 30), np.arange(known[-1] - 20, known[-1] + 9), np.arange(0, 3)):
        monkeypatch.setattr(marker_errors, "FEW_KNOWN", 80)
        assert marker_errors._around(known, wanted) == slice(None)
        whole = [weights @ values for weights in marker_errors._between(known, wanted, 100.0, 3)]
        monkeypatch.setattr(marker_errors, "FEW_KNOWN", 10)
        looked = marker_errors._around(known, wanted)
        assert len(known[looked]) < 30
        for one, other in zip(marker_errors._between(known[looked], wanted, 100.0, 3), whole, strict=True):
            np.testing.assert_allclose(one @ values[looked], other, rtol=1e-12, atol=1e-9)


def test_channels_filtered_a_few_at_a_time_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    path = np.random.default_rng(0).normal(size=(997, 7)).cumsum(axis=0)
    path[100:130, 2:4] = np.nan
    together = lowpass(path, 100.0, 6.0)
    monkeypatch.setattr(runs, "HELD_SAMPLES", 2000)
    assert [each.tolist() for each in runs.few_at_a_time(np.array([True] * 4 + [False]), 997)] == [[0, 1], [2, 3]]
    np.testing.assert_array_equal(lowpass(path, 100.0, 6.0), together)
