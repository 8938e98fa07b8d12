"""What hangs on bodies beside muscles, scaled beside OpenSim: ligaments, springs, bushings, stations; and what both leave."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biomech_id.osim.run import run_setup

osim: Any = pytest.importorskip("opensim", reason="needs the opensim wheel: pip install 'biomech-id[peers]'")
osim.Logger.setLevelString("error")
SETUP = """<OpenSimDocument Version="40500"><ScaleTool name="scaled"><mass>-1</mass>
<GenericModelMaker><model_file>generic.osim</model_file></GenericModelMaker>
<ModelScaler><apply>true</apply><scaling_order>manualScale</scaling_order><ScaleSet><objects>
<Scale><scales>1.1 1.2 1.3</scales><segment>a</segment><apply>true</apply></Scale>
<Scale><scales>0.9 0.8 0.7</scales><segment>b</segment><apply>true</apply></Scale></objects></ScaleSet>
<preserve_mass_distribution>true</preserve_mass_distribution><output_model_file>scaled.osim</output_model_file></ModelScaler>
<MarkerPlacer><apply>false</apply></MarkerPlacer></ScaleTool></OpenSimDocument>"""


def model_with_everything() -> Any:
    model, Vec3 = osim.Model(), osim.Vec3
    a, b = (osim.Body(name, 1.0, Vec3(0, -0.1, 0), osim.Inertia(0.1, 0.1, 0.1)) for name in "ab")
    above = model.getGround()
    for body, height in ((a, 1.0), (b, -0.4)):
        model.addBody(body)
        joint = osim.PinJoint(f"j{body.getName()}", above, Vec3(0, height, 0), Vec3(0), body, Vec3(0), Vec3(0))
        joint.updCoordinate().setName(f"q{body.getName()}")
        model.addJoint(joint)
        above = body
    ligament, spring = osim.Ligament(), osim.PathSpring("spring", 0.35, 1000.0, 0.1)
    ligament.setName("ligament")
    ligament.setRestingLength(0.3)
    ligament.set_pcsa_force(100.0)
    for force in (ligament, spring):
        force.updGeometryPath().appendNewPathPoint("first", a, Vec3(0.1, -0.1, 0.02))
        force.updGeometryPath().appendNewPathPoint("last", b, Vec3(0.08, -0.1, 0.01))
        model.addForce(force)
    bushing = osim.ExpressionBasedBushingForce("bushing", a, Vec3(0.01, -0.4, 0.02), Vec3(0), b, Vec3(0.01, 0.02, 0.03), Vec3(0))
    model.addForce(bushing)
    points = osim.PointToPointSpring(a, Vec3(0.1, 0.2, 0.3), b, Vec3(0.2, 0.1, 0.3), 1000.0, 0.2)
    points.setName("points")
    model.addForce(points)
    model.addContactGeometry(osim.ContactSphere(0.05, Vec3(0.1, -0.4, 0.02), b, "ball"))
    station = osim.Station(b, Vec3(0.1, 0.2, 0.3))
    station.setName("station")
    model.addComponent(station)
    model.finalizeConnections()
    return model


def numbers_of(text: str) -> list[float]:
    """All places, lengths and radii of a document, in its order."""
    tags = "location|translation|resting_length|point1|point2|radius"
    found = re.findall(rf"<({tags})>([^<]*)</", text)
    return [float(word) for _, words in found for word in words.split()]


def test_all_that_hangs_on_bodies_is_scaled_as_opensim_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generic = tmp_path / "generic.osim"
    model_with_everything().printToXML(str(generic))
    (tmp_path / "setup.xml").write_text(SETUP, encoding="utf-8")
    outcome = run_setup(tmp_path / "setup.xml", tmp_path / "ours")
    monkeypatch.chdir(tmp_path)
    osim.ScaleTool("setup.xml").run()
    before, ours, theirs = (
        numbers_of(path.read_text()) for path in (generic, tmp_path / "ours/scaled.osim", tmp_path / "scaled.osim")
    )
    assert len(ours) == len(theirs) > 30
    np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-15)
    assert np.abs(np.subtract(ours, before)).max() > 0.05
    (remark,) = [remark for remark in outcome.remarks if "leaves" in remark]
    assert "ContactSphere ball" in remark
    assert "PointToPointSpring points" in remark
    assert "bushing" not in remark
