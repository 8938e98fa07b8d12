"""A laboratory that keeps measurements and the whole examination in SUBJECTS: every value is read, no patient's key."""

from __future__ import annotations

from pathlib import Path

import pytest

from biomech_id.readers.c3d.read import read_c3d

pytestmark = pytest.mark.real


@pytest.mark.parametrize("name", ["static", "walk04"])
def test_every_value_is_in_the_table(shared_dir: Path, name: str) -> None:
    subject = read_c3d(shared_dir / f"c3d/labs_abroad/examined_child/{name}.c3d", trust=True).subject
    tests = [one for one in subject.examination if one.source.startswith("SUBJECTS:C_")]
    assert len(tests) == len({one.source.upper() for one in tests}) == 134
    assert all(one.joint and one.raw for one in tests)
    assert {one.test: one.raw for one in subject.examination if not one.joint} == {
        "diagnosis": "CP_Spastic_Uni_Hemiplegia", "affected side": "Right", "motor level": "1",
    }  # fmt: skip
    assert not any(word in str(vars(one)).lower() for one in subject.examination for word in ("2761", "4391", "id_fm"))
    unknown = {one.test for one in tests if not one.positive}
    assert unknown == {
        "extension", "Thomas test", "Ober test", "popliteal angle unilateral", "popliteal angle bilateral", "angle mort",
        "patella alta", "bimalleolar axis", "thigh-foot angle",
    }  # fmt: skip
    assert (subject.mass_kg, subject.age_years, subject.sex) == (35.0, 10.0, "female")
    assert dict(subject.leg_length_m) == pytest.approx({"L": 0.73, "R": 0.71})
