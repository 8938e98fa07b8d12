"""Inertial tables hold what their sources print, and only bodies that can exist."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from biomech_id.anthropometry import INERTIAL_TABLES, load_table, osim_mass_fractions
from biomech_id.errors import FileRefusedError, InvalidValueError, MissingInputError, OptionError

#: Typed from the sources, in percent, independently of the CSV files.
# de Leva 1996, table 4: mass, centre of mass from the proximal end, radii sagittal, transverse, longitudinal.
DE_LEVA = {
    ("female", "thigh"): (14.78, 36.12, 36.9, 36.4, 16.2),
    ("male", "thigh"): (14.16, 40.95, 32.9, 32.9, 14.9),
    ("female", "shank"): (4.81, 43.52, 26.7, 26.3, 9.2),
    ("male", "shank"): (4.33, 43.95, 25.1, 24.6, 10.2),
    ("female", "foot"): (1.29, 40.14, 29.9, 27.9, 13.9),
    ("male", "foot"): (1.37, 44.15, 25.7, 24.5, 12.4),
}
# Dumas et al. 2007: mass, centre of mass X Y Z, radii xx yy zz, products xy xz yz (i = negative).
DUMAS = {
    ("female", "thigh"): (14.6, -7.7, -37.7, 0.9, 31, 19, 32, 7, -2, -7),
    ("male", "thigh"): (12.3, -4.1, -42.9, 3.3, 29, 15, 30, 7, -2, -7),
    ("female", "shank"): (4.5, -4.9, -40.4, 3.1, 28, 10, 28, 2, 1, 6),
    ("male", "shank"): (4.8, -4.8, -41.0, 0.7, 28, 10, 28, -4, -2, 5),
    ("female", "foot"): (1.0, 27.0, -21.8, 3.9, 17, 36, 35, -10, 6, -4),
    ("male", "foot"): (1.2, 38.2, -15.1, 2.6, 17, 37, 36, 13, -8, 0),
}
# Dumas and Wojtusch 2018 give the same feet as fractions of another length: centre X Y Z, radii xx yy zz, products xy xz yz.
DUMAS_2018_FOOT = {
    "female": (38.2, -30.9, 5.5, 24, 50, 50, -15, 9, -5),
    "male": (50.2, -19.9, 3.4, 22, 49, 48, 17, -11, 0),
}
# Dempster as tabled by Winter, and the conventional model: mass, centre of mass, radius about the centre of mass.
DEMPSTER = {"foot": (1.45, 50.0, 47.5), "shank": (4.65, 43.3, 30.2), "thigh": (10.0, 43.3, 32.3)}
#: Whole-body mass each source's own rounding leaves, percent.
BODY_MASS = {
    ("de-leva-1996", "female"): 99.99, ("de-leva-1996", "male"): 100.00,
    ("dumas-2007", "female"): 99.9, ("dumas-2007", "male"): 100.2,
    ("dempster-winter", ""): 100.0, ("jensen-1989", ""): 100.2,
}  # fmt: skip
PAIRED = ("foot", "shank", "thigh", "hand", "forearm", "upper_arm")


def subject_table(name: str, sex: str = "", age: float | None = None):
    table = load_table(name)
    return table.for_subject(sex=sex or None, age_years=10.0 if table.by_age and age is None else age)


@pytest.mark.parametrize(("sex", "segment"), DE_LEVA)
def test_de_leva_as_printed(sex: str, segment: str) -> None:
    row = subject_table("de-leva-1996", sex)[segment]
    mass, com, sagittal, transverse, longitudinal = np.array(DE_LEVA[sex, segment]) / 100
    # A limb's long axis is ISB's Y and its sagittal axis X; the foot's long axis is X and its sagittal radius is about Y.
    radii = (longitudinal, sagittal, transverse) if segment == "foot" else (sagittal, longitudinal, transverse)
    assert row.mass_fraction == pytest.approx(mass, abs=1e-12)
    assert row.com_fraction_from_proximal == pytest.approx(com, abs=1e-12)
    np.testing.assert_allclose(row.radii_fraction, radii, atol=1e-12)


@pytest.mark.parametrize(("sex", "segment"), DUMAS)
def test_dumas_as_printed(sex: str, segment: str) -> None:
    row = subject_table("dumas-2007", sex)[segment]
    values = np.array(DUMAS[sex, segment]) / 100
    np.testing.assert_allclose(
        [row.mass_fraction, *row.com_offset_fraction, *row.radii_fraction, *row.products_fraction], values, atol=1e-12
    )
    assert row.com_from == ("ankle_centre" if segment == "foot" else row.proximal)


@pytest.mark.parametrize("sex", DUMAS_2018_FOOT)
def test_dumas_feet_are_those_of_2018_in_another_length(sex: str) -> None:
    """One ratio of lengths serves every number, to the half digit by which either print may be rounded."""
    row = subject_table("dumas-2007", sex)["foot"]
    ours = 100 * np.array([*row.com_offset_fraction, *row.radii_fraction, *row.products_fraction])
    theirs = np.array(DUMAS_2018_FOOT[sex])
    rounding = np.array([0.05] * 3 + [0.5] * 6)
    np.testing.assert_array_equal(np.sign(ours), np.sign(theirs))
    there = ours != 0
    a, b, half = np.abs(ours[there]), np.abs(theirs[there]), rounding[there]
    least, most = ((b - half) / (a + half)).max(), ((b + half) / (a - half)).min()
    assert 1.2 < least < most < 1.5


@pytest.mark.parametrize("name", ["dempster-winter", "conventional"])
@pytest.mark.parametrize("segment", DEMPSTER)
def test_dempster_as_tabled_by_winter(name: str, segment: str) -> None:
    row = load_table(name)[segment]
    mass, com, radius = np.array(DEMPSTER[segment]) / 100
    assert (row.mass_fraction, row.com_fraction_from_proximal) == pytest.approx((mass, com))
    assert sorted(row.radii_fraction) == pytest.approx([0.0, radius, radius])


def test_vicon_uses_radii_about_the_proximal_end() -> None:
    # rho_proximal^2 = rho_central^2 + com^2 to the three digits Winter prints; Vicon takes the left one for the central radius.
    for segment, (_, com, radius) in DEMPSTER.items():
        expected = np.hypot(com, radius) / 100
        assert max(load_table("conventional-vicon")[segment].radii_fraction) == pytest.approx(expected, abs=1.5e-3)


@pytest.mark.parametrize(("age", "masses"), [(6.0, (8.5, 4.6, 1.9)), (12.0, (11.0, 5.3, 2.1)), (18.0, (11.4, 4.8, 1.7))])
def test_jensen_at_the_tabulated_ages(age: float, masses: tuple[float, ...]) -> None:
    table = load_table("jensen-1989").for_subject(age_years=age)
    found = [100 * table[segment].mass_fraction for segment in ("thigh", "shank", "foot")]
    np.testing.assert_allclose(found, masses, atol=1e-6)  # percent; coefficients carry nine digits


@pytest.mark.parametrize(("name", "sex"), BODY_MASS)
def test_body_mass_sums_to_what_the_source_says(name: str, sex: str) -> None:
    table = subject_table(name, sex)
    total = sum(table[segment].mass_fraction * (2 if segment in PAIRED else 1) for segment in table)
    assert 100 * total == pytest.approx(BODY_MASS[name, sex], abs=1e-6)


#: Table -> segment -> the points between which its source measures length, and where the centre of mass is counted from.
END_POINTS = {
    table: {"thigh": ("hip_centre", "knee_centre"), "shank": ("knee_centre", "ankle_centre"), "foot": foot}
    for table, foot in {
        "dempster-winter": ("lateral_malleolus", "metatarsal_2"),
        "de-leva-1996": ("heel", "toe_tip"),
        "dumas-2007": ("heel", "metatarsal_heads"),
        "conventional": ("ankle_centre", "foot_axis"),
    }.items()
}


@pytest.mark.parametrize("name", INERTIAL_TABLES)
def test_lengths_run_between_the_points_the_source_names(name: str) -> None:
    # Jensen's centres and radii are Dempster's, Vicon's lengths the conventional model's.
    source = {"jensen-1989": "dempster-winter", "conventional-vicon": "conventional"}.get(name, name)
    for sex in ("female", "male") if load_table(name).by_sex else ("",):
        table = subject_table(name, sex)
        for segment, ends in END_POINTS[source].items():
            assert (table[segment].proximal, table[segment].distal) == ends, (sex, segment)
            assert table[segment].com_from == ("ankle_centre" if (name, segment) == ("dumas-2007", "foot") else ends[0])


@pytest.mark.parametrize("name", INERTIAL_TABLES)
@pytest.mark.parametrize("side", ["L", "R"])
def test_tensors_belong_to_bodies_that_can_exist(name: str, side: str) -> None:
    sexes = ("female", "male") if load_table(name).by_sex else ("",)
    for sex in sexes:
        table = subject_table(name, sex)
        for segment in table:
            row = table[segment]
            assert row.citation
            if row.radii_fraction is None:
                continue
            low, middle, high = np.linalg.eigvalsh(row.unit_tensor(side=side))
            assert low >= -1e-12 * high  # relative: rounding of the eigenvalues
            assert low + middle - high >= -1e-12 * high


def test_the_left_side_is_the_right_one_in_a_mirror() -> None:
    row = subject_table("dumas-2007", "male")["thigh"]
    mirror = np.diag([1.0, 1.0, -1.0])
    np.testing.assert_array_equal(row.unit_tensor(side="L"), mirror @ row.unit_tensor(side="R") @ mirror)
    assert not np.array_equal(row.unit_tensor(side="L"), row.unit_tensor(side="R"))


def test_a_table_asks_for_what_it_needs() -> None:
    with pytest.raises(MissingInputError, match="sex is not recorded"):
        load_table("de-leva-1996")["thigh"]
    with pytest.raises(MissingInputError, match="age is not recorded"):
        load_table("jensen-1989").for_subject()
    with pytest.raises(MissingInputError, match="age is not recorded"):
        load_table("jensen-1989")["thigh"]
    with pytest.raises(MissingInputError, match="no segment named tail"):
        load_table("conventional")["tail"]
    with pytest.raises(InvalidValueError, match="not understood"):
        load_table("de-leva-1996").for_subject(sex="unknown")
    with pytest.raises(OptionError, match="no inertial table named zatsiorsky"):
        load_table("zatsiorsky")
    with pytest.raises(MissingInputError, match="mass but no radii"):
        subject_table("dumas-2007", "female")["torso"].unit_tensor()


def shipped_text(name: str) -> str:
    import biomech_id.anthropometry as room

    return (Path(room.__file__).parent / "tables" / f"{name}.csv").read_text(encoding="utf-8")


def test_a_user_table_is_read_like_a_shipped_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(shipped_text("dempster-winter").replace("0.0465", "0.05"), encoding="utf-8")
    table = load_table(path)
    assert (table.name, table["shank"].mass_fraction) == ("mine", 0.05)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("0.0465", "heavy", "line 3, column mass_fraction"),
        (",0.433,", ",,", "com_fraction"),
        ("ankle_centre", "somewhere", "unknown end point"),
        ("citation", "quelle", "lacks the columns citation"),
    ],
)
def test_a_user_table_that_cannot_be_used_says_where(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(shipped_text("dempster-winter").replace(old, new), encoding="utf-8")
    with pytest.raises(FileRefusedError, match=says):
        load_table(path)


OSIM = """<OpenSimDocument Version="40000"><Model><BodySet><objects>
<Body name="pelvis"><mass>12</mass></Body><Body name="torso"><mass>38</mass></Body>
<Body name="femur_r"><mass>9</mass></Body><Body name="tibia_r"><mass>3.5</mass></Body><Body name="patella_r"><mass>0.1</mass></Body>
<Body name="talus_r"><mass>0.1</mass></Body><Body name="calcn_r"><mass>1.2</mass></Body><Body name="toes_r"><mass>0.2</mass></Body>
</objects></BodySet></Model></OpenSimDocument>"""


def test_masses_from_an_opensim_model(tmp_path: Path) -> None:
    path = tmp_path / "model.osim"
    path.write_text(OSIM, encoding="utf-8")
    fractions = osim_mass_fractions(path)
    total = 12 + 38 + 9 + 3.6 + 1.5
    assert fractions == pytest.approx({"thigh": 9 / total, "shank": 3.6 / total, "foot": 1.5 / total})
    table = load_table("conventional").with_mass_fractions(fractions, "model.osim")
    assert table["thigh"].mass_fraction == fractions["thigh"]
    assert table["thigh"].citation.endswith("mass from model.osim")


@pytest.mark.parametrize("text", ["<Model>", "<Model><Body name='femur_r'><mass>1</mass></Body></Model>"])
def test_an_opensim_model_without_legs_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "model.osim"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileRefusedError):
        osim_mass_fractions(path)


def test_the_page_names_every_table() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "inertial-tables.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in INERTIAL_TABLES)
