"""Marker sets of other laboratories: each static is recognised for what it is, and its walk is tracked with constant bones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import biomech_id as bid
from biomech_id.markersets import detect
from biomech_id.models.six_dof.model import six_dof_model
from biomech_id.movement.cycle import KineticsValid
from biomech_id.readers import read
from biomech_id.session import trial_tables
from biomech_id.trial import Subject

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("shared_dir")]

#: Set -> its static, a movement, and the subject's thigh from the markers of the static alone, metres (hip to knee, roughly).
SETS = {
    "helen-hayes": ("helen_hayes/HHStatic.c3d", "helen_hayes/HHMotion.c3d"),
    "leardini": ("leardini/static01.c3d", "leardini/trial02.c3d"),
    "bmclab-run": ("treadmill_run/RBDS001static.c3d", "treadmill_run/RBDS001runT35.c3d"),
    "la-trobe": ("drop_jump/FAILT01_static02.c3d", "drop_jump/FAILT01_SLDJ01.c3d"),
    "motion-monitor": ("motionmonitor/static_pose.c3d", "motionmonitor/gait_with_emg.c3d"),
    "opencap": ("markerless/opencap/static1.trc", "markerless/opencap/walking1.trc"),
}


@pytest.mark.parametrize("name", SETS)
def test_the_set_is_recognised_and_tracks(name: str, c3d_dir: Path) -> None:
    static, movement = (read(c3d_dir / path) for path in SETS[name])
    seen = [label for label in static.markers.names if static.markers.present(label)]
    found = detect(seen, stored=tuple(static.model_outputs), model="six-dof")
    assert found.markerset.name == name
    model = six_dof_model(static, Subject(mass_kg=70.0), markerset=found.markerset)
    motion = model.track(movement)
    for side in ("L", "R"):
        hip, knee, ankle = (motion.joint_centres_lab_m[side, joint] for joint in ("hip", "knee", "ankle"))
        thigh, shank = (np.linalg.norm(a - b, axis=1) for a, b in ((hip, knee), (knee, ankle)))
        # A grown-up's bones, whatever the protocol; joints of segments tracked apart drift by soft tissue only.
        assert 0.33 < np.nanmedian(thigh) < 0.52
        assert 0.33 < np.nanmedian(shank) < 0.48
        assert np.nanpercentile(np.abs(thigh - np.nanmedian(thigh)), 90) < 0.03
        flexion = np.rad2deg(motion.joint_angles_rad[side, "knee"][:, 0])
        # Walking, running and landing: the knee bends by 40 degrees at least, forwards never.
        assert np.nanpercentile(flexion, 99) > 40.0
        assert np.nanpercentile(flexion, 1) > -15.0


@pytest.mark.parametrize("lost", [(), ("L_FM2", "R_FM2"), ("L_TTC",), ("L_TAM", "R_TAM")], ids=" ".join)
def test_leardini_walks_have_bands_whether_or_not_they_show_every_marker(lost: tuple[str, ...], c3d_dir: Path) -> None:
    static, walk = (read(c3d_dir / path) for path in SETS["leardini"])
    assert static.markers.present("L_FM2")
    kept = [i for i, name in enumerate(walk.markers.names) if name not in lost]
    names, position_m = tuple(walk.markers.names[i] for i in kept), walk.markers.position_m[:, kept]
    walk = replace(walk, markers=replace(walk.markers, names=names, position_m=position_m, filled=None))
    (trial,) = bid.analyse([static, walk], static=static, mass_kg=59.4).computed.trials
    # The strides before the plates, whose events the markers complete, have angles alone.
    loaded = [band for band in trial_tables.bands(trial) if band.cycle.kinetics_valid is KineticsValid.TRUE]
    assert {band.cycle.side for band in loaded} == {"L", "R"}
    for band in loaded:
        # The next strike, at 100 %, may lie off the plates.
        sizes = {name: float(np.mean(total[:-1])) for name, total in zip(band.names, band.total, strict=True)}
        assert np.isfinite(list(sizes.values())).all()
        # Degrees, and N m/kg: whichever marker is lost, the others place the segment about as well.
        assert 1.0 < sizes["KneeAngles", "X"] < 3.0
        assert 0.01 < sizes["KneeMoment", "X"] < 0.06
