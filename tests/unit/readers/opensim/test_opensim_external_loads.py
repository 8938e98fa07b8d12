"""ExternalLoads documents of any version, and those that must be refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from biomech_id.errors import BiomechError, FileRefusedError, InvalidValueError
from biomech_id.readers.opensim.loads import read_external_loads

FORCE = """<ExternalForce name="{name}"><{switch}><applied_to_body>{body}</applied_to_body>
<force_identifier>{stem}_v</force_identifier><point_identifier>{stem}_p</point_identifier>
<torque_identifier>Unassigned</torque_identifier></ExternalForce>"""


def document(*forces: str, tag: str = "ExternalLoads") -> str:
    return (
        f'<OpenSimDocument Version="40000"><{tag}><objects>{"".join(forces)}</objects>'
        f"<datafile>walk.mot</datafile></{tag}></OpenSimDocument>"
    )


def force(name: str, body: str, switch: str = "appliesForce>true</appliesForce") -> str:
    return FORCE.format(name=name, body=body, stem=f"ground_{name}", switch=switch)


def test_the_example_puts_both_forces_on_the_feet(shared_dir: Path) -> None:
    (path,) = (shared_dir / "opensim").rglob("subject01_walk_grf.xml")
    loads = read_external_loads(path)
    assert loads.data_file == "subject01_walk_grf.mot"
    assert [(f.body, f.force, f.point, f.torque) for f in loads.forces] == [
        ("calcn_r", "ground_force_v", "ground_force_p", "ground_torque_"),
        ("calcn_l", "1_ground_force_v", "1_ground_force_p", "1_ground_torque_"),
    ]


def test_forces_that_are_switched_off_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "loads.xml"
    off = (force("a", "calcn_r", "isDisabled>true</isDisabled"), force("b", "calcn_r", "appliesForce>false</appliesForce"))
    path.write_text(document(*off, force("c", "/bodyset/calcn_r")), encoding="utf-8")
    (only,) = read_external_loads(path).forces
    assert (only.name, only.body, only.torque, only.force_frame) == ("c", "calcn_r", "", "ground")


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (document(force("a", "calcn_r"), force("b", "calcn_r")), InvalidValueError, "a and b both act on calcn_r"),
        (document(force("a", "Unassigned")), InvalidValueError, "names no body"),
        (document(force("a", "calcn_r"), tag="Other"), FileRefusedError, "no ExternalLoads"),
        ("<open", FileRefusedError, "cannot be read"),
        ('<!DOCTYPE x [<!ENTITY a "aa">]><x>&a;</x>', FileRefusedError, "entities"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(tmp_path: Path, text: str, kind: type[BiomechError], said: str) -> None:
    path = tmp_path / "loads.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(kind, match=said):
        read_external_loads(path)
