"""What is added from outside takes no name that the library itself uses, with or without a row for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import biomech_id as bid
from biomech_id.errors import MissingInputError, OptionError
from biomech_id.feet.landmarks import find_landmarks
from biomech_id.feet.movements import ADDED_MOVEMENTS, AddedMovement, TrialKind, register_movement
from biomech_id.files.settings import Setting
from biomech_id.gait.cycles import cut_cycles
from biomech_id.gait.events import find_events
from biomech_id.gait.measures.spatiotemporal import ADDED_MEASURES, AddedMeasure, gait_parameters, register_measure
from biomech_id.gait.repairs import RepairKind
from biomech_id.gait.review import Repair
from biomech_id.norms.imported import FORMS, norm_of_others
from biomech_id.pipeline.repairs import repaired
from biomech_id.signal.gap_repair import MATES, MOVEMENTS
from biomech_id.signal.gaps import LEFT_OPEN, register_gap_filler


def movement(name: str) -> None:
    register_movement(name, AddedMovement(lambda evidence, landmarks: None), stepping=True)


def measure(name: str) -> None:
    register_measure(name, AddedMeasure("m", lambda landmarks, cycle: 42.0))


def filler(name: str) -> None:
    register_gap_filler(name, lambda *gap: None)


@pytest.mark.parametrize(
    ("add", "name"),
    [
        *((movement, str(kind)) for kind in TrialKind),
        *((measure, name) for name in ("speed", "cadence_dimensionless", "double_support")),
        *((filler, name) for name in (LEFT_OPEN, MATES, MOVEMENTS)),
    ],
)
def test_a_name_of_the_library_is_refused(add: Callable[[str], None], name: str) -> None:
    with pytest.raises(OptionError, match=f"{name} already, of biomech_id"):
        add(name)
    assert not {name} & {*ADDED_MOVEMENTS, *ADDED_MEASURES}
    assert not TrialKind.SQUAT.stepping


def test_every_parameter_of_a_walk_is_reserved() -> None:
    trial = bid.virtual_subject().walk().trial
    events = find_events(trial)
    rows = gait_parameters(find_landmarks(trial), events, cut_cycles(trial, events, None), leg_length_m=0.9)
    assert {row.parameter for row in rows} == set(ADDED_MEASURES.reserved)


def test_an_unknown_repair_is_a_sentence() -> None:
    trial = bid.virtual_subject().walk().trial
    with pytest.raises(OptionError, match=r"no kind of repair 'lables'; there are .*Did you mean 'labels'"):
        repaired([trial], [Repair("lables", ("LKNE", "RKNE"))])


def test_a_form_of_norm_names_the_package_that_it_lacks(tmp_path: Path) -> None:
    def read(path: Path) -> None:
        import no_such_package  # type: ignore[import-not-found]  # noqa: F401

    (tmp_path / "others.h5").touch()
    with FORMS.within(".h5", read), pytest.raises(MissingInputError, match=r"others\.h5 needs the package no_such_package"):  # type: ignore[arg-type]
        norm_of_others(tmp_path / "others.h5")


def test_a_repair_leaves_something_doubtful() -> None:
    with pytest.raises(OptionError, match="doubts"):
        RepairKind(Setting("one number", lambda value: True), doubts="marker")
