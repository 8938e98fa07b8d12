"""What is drawn is what is in the tables: curves are read back from the figure objects, point by point."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from biomech_id.conventions import BUDGET_PARTS, GRAVITY_M_S2, MOMENT_VARIABLE, SIDES
from biomech_id.report import curves
from biomech_id.report.layout.style import load_style
from biomech_id.report.pages.kinematics import ANGLE_GRID
from biomech_id.report.pages.kinetics import KINETIC_GRID
from biomech_id.report.pages.scores import scores_page
from biomech_id.report.panels.layer import ROWS
from biomech_id.session.tables.session_tables import CURVE_POINTS

#: Percent of body weight is plotted for N/kg; everything else as it stands.
FACTOR = {"ground force": 100.0 / GRAVITY_M_S2}


def drawn(figure: Figure, gid: str) -> list[np.ndarray]:
    """Vertices of every path of the collection with this name."""
    found = [c for axes in figure.axes for c in axes.collections if c.get_gid() == gid]
    assert len(found) == 1, f"{gid}: {len(found)} collections"
    return [path.vertices for path in found[0].get_paths()]


def tabled(session, side, variable, component):
    """The same curves by pandas' own grouping: cycle -> values, plotted unit."""
    table = session.cycles
    mine = table[(table["side"] == side) & (table["variable"] == variable) & (table["component"] == component)]
    factor = FACTOR.get(ROWS[variable, component].quantity, 1.0)
    return {int(cycle): rows.sort_values("percent")["value"].to_numpy() * factor for cycle, rows in mine.groupby("cycle")}


EVERY = [("kinematics", key) for row in ANGLE_GRID for key in row] + [("kinetics", key) for row in KINETIC_GRID for key in row]


@pytest.fixture(scope="module")
def figures(session):
    return {(n, e): getattr(curves, n)(session, every_cycle=e) for n in ("kinematics", "kinetics") for e in (True, False)}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("page", "key"), EVERY)
def test_every_cycle_is_drawn_as_tabled(session, figures, page, key, side):
    paths = drawn(figures[page, True], f"|{side}|{ROWS[key].column('')}|cycles")
    expected = tabled(session, side, *key)
    assert len(paths) == len(expected) == 3
    for path, values in zip(paths, expected.values(), strict=True):
        np.testing.assert_array_equal(path[:, 0], np.arange(CURVE_POINTS))
        np.testing.assert_allclose(path[:, 1], values, rtol=1e-15)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("page", "key"), EVERY)
def test_means_and_bands_are_those_of_the_table(session, figures, page, key, side):
    name = f"|{side}|{ROWS[key].column('')}"
    values = np.stack(list(tabled(session, side, *key).values()))
    (mean,) = drawn(figures[page, False], f"{name}|mean")
    # 1e-12 of the curve's size: two orders of summation.
    tolerance = 1e-12 * np.abs(values).max()
    np.testing.assert_allclose(mean[:, 1], values.mean(axis=0), atol=tolerance)
    (band,) = drawn(figures[page, False], f"{name}|sd")
    low, high = values.mean(axis=0) - values.std(axis=0, ddof=1), values.mean(axis=0) + values.std(axis=0, ddof=1)
    np.testing.assert_allclose(band[:CURVE_POINTS, 1], low, atol=tolerance)
    np.testing.assert_allclose(band[CURVE_POINTS : 2 * CURVE_POINTS, 1], high[::-1], atol=tolerance)


def test_left_is_red_and_solid_right_is_blue_and_dashed(figures):
    style = load_style()
    for side, colour, dashed in (("L", "#b5121b", False), ("R", "#2f80bd", True)):
        name = f"|{side}|KneeAngles.X|mean"
        (found,) = [c for axes in figures["kinematics", False].axes for c in axes.collections if c.get_gid() == name]
        assert to_hex(found.get_edgecolor()[0]) == colour == style.colour(side)
        assert (found.get_linestyle()[0][1] is not None) is dashed


def test_foot_off_stands_where_each_side_leaves_the_floor(figures):
    gids = {c.get_gid() for axes in figures["kinematics", False].axes for c in axes.collections}
    assert {"|L|foot off", "|R|foot off"} <= gids
    for side, percent in (("L", 60.0), ("R", 62.0)):
        for axes in figures["kinematics", False].axes:
            lines = [c for c in axes.collections if c.get_gid() == f"|{side}|foot off"]
            assert [line.get_paths()[0].vertices[0, 0] for line in lines] == [percent]


def test_the_norm_is_a_band_of_one_sd_behind_the_curves(session, build_norm):
    norm = build_norm()
    figure = curves.kinetics(session, norm=norm)
    rows = norm[(norm["variable"] == "GroundReactionForce") & (norm["component"] == "Z")]
    mean, sd = rows["mean"].iloc[0] * FACTOR["ground force"], rows["sd"].iloc[0] * FACTOR["ground force"]
    (band,) = drawn(figure, "norm GroundReactionForce.Z")
    np.testing.assert_allclose([band[:, 1].min(), band[:, 1].max()], [mean - sd, mean + sd], rtol=1e-12)
    for axes in figure.axes:
        depth = {c.get_gid(): c.get_zorder() for c in axes.collections}
        behind = [z for gid, z in depth.items() if str(gid).startswith("norm")]
        over = [z for gid, z in depth.items() if str(gid).endswith(("mean", "sd"))]
        assert not behind or max(behind) < min(over)


def test_budget_parts_are_laid_on_one_another_up_to_the_moment(session):
    figure = curves.budget(session)
    for side in SIDES:
        for variable in MOMENT_VARIABLE.values():
            for component in "XY":
                name = f"|{side}|{variable}.{component}"
                thickness = np.zeros(CURVE_POINTS)
                edge = np.zeros(CURVE_POINTS)
                for part in BUDGET_PARTS:
                    (band,) = drawn(figure, f"{name}|{part}")
                    low, high = band[:CURVE_POINTS, 1], band[CURVE_POINTS : 2 * CURVE_POINTS, 1][::-1]
                    # One edge of each band is the previous band's last edge; the other one is where the next begins.
                    rises = np.abs(low - edge) <= np.abs(high - edge)
                    np.testing.assert_allclose(np.where(rises, low, high), edge, atol=1e-12)
                    edge = np.where(rises, high, low)
                    thickness = np.maximum(thickness, high - low)
                (total,) = drawn(figure, f"{name}|total")
                expected = np.mean(list(tabled(session, side, variable, component).values()), axis=0)
                np.testing.assert_allclose(total[:, 1], expected, atol=1e-12)
                np.testing.assert_allclose(edge, expected, atol=1e-12)
                assert thickness.max() > 0.05


def test_the_butterfly_keeps_the_direction_of_each_force(session):
    figure = curves.ground_reaction(session)
    (axes,) = [a for a in figure.axes if any(c.get_gid() == "|L|butterfly|forces" for c in a.collections)]
    forces = [c for c in axes.collections if c.get_gid() == "|L|butterfly|forces"]
    box, (left, right), (low, high) = axes.get_position(), axes.get_xlim(), axes.get_ylim()
    width, height = box.width * 297.0, box.height * 210.0
    frames = session.frames["walk1"]
    first = session.cycle_list.query("side == 'L'").iloc[0]
    inside = (frames["time"] >= first["start_s"]) & (frames["time"] <= first["foot_off_s"])
    force = frames.loc[inside, ["LGroundReactionForce.X", "LGroundReactionForce.Z"]].to_numpy()
    drawn_forces = np.array([path.vertices[1] - path.vertices[0] for path in forces[0].get_paths()])
    on_paper = drawn_forces * [width / (right - left), height / (high - low)]
    angle = np.arctan2(on_paper[:, 1], on_paper[:, 0])
    np.testing.assert_allclose(angle, np.arctan2(force[:, 1], force[:, 0]), atol=1e-9)
    assert np.ptp(angle) > 0.2


def test_a_forefoot_that_strikes_first_stays_in_the_butterfly(build):
    session = build(sides="L", cycles=1)
    frames = session.frames["walk1"]
    pressed = frames["LCentreOfPressure.X"].notna()
    # From the forefoot back to the heel within a fifth of the stance, then forward: 120 mm behind the first contact.
    share = np.linspace(0.0, 1.0, pressed.sum())
    frames.loc[pressed, "LCentreOfPressure.X"] = 1000.0 + np.where(share < 0.2, -600.0 * share, -120.0 + 250.0 * (share - 0.2))
    (axes,) = [a for a in curves.ground_reaction(session).axes if any(c.get_gid() == "|L|butterfly|forces" for c in a.collections)]
    (forces,) = [c for c in axes.collections if c.get_gid() == "|L|butterfly|forces"]
    along = np.array([path.vertices[0, 0] for path in forces.get_paths()])
    low, high = axes.get_xlim()
    assert along[0] == pytest.approx(120.0, abs=5.0)  # mm; between two frames the path moves by 9 mm
    assert low < along.min() == 0.0
    assert along.max() < high


def test_pressure_path_is_drawn_medially_towards_the_other_foot(session):
    figure = curves.ground_reaction(session)
    for side, mirror in (("L", 1.0), ("R", -1.0)):
        path = drawn(figure, f"|{side}|pressure")[0]
        expected = session.curves(side, "FootCentreOfPressure", "Y")[0]
        np.testing.assert_allclose(path[:, 0], mirror * expected, rtol=1e-12)
        np.testing.assert_allclose(path[:, 1], session.curves(side, "FootCentreOfPressure", "X")[0], rtol=1e-12)


def test_cycles_outside_the_means_are_thin_and_dotted_and_not_averaged(build):
    session = build()
    for cycle in session.summary["trials"][0]["cycles"]:
        cycle["used"] = cycle["cycle"] != 3
    every, mean = curves.kinematics(session, every_cycle=True), curves.kinematics(session)
    name = "|L|HipAngles.X"
    values = tabled(session, "L", "HipAngles", "X")
    assert len(drawn(every, f"{name}|cycles")) == 2
    np.testing.assert_allclose(drawn(every, f"{name}|unused")[0][:, 1], values[3])
    np.testing.assert_allclose(drawn(mean, f"{name}|mean")[0][:, 1], (values[1] + values[2]) / 2, atol=1e-12)


def test_what_leaves_the_scale_says_how_far(build):
    """Scales hold every cycle that was measured well enough; only a refused one leaves them."""
    session = build()
    for trial in session.summary["trials"]:
        for cycle in trial["cycles"]:
            cycle["sound"] = False
    knee = (session.cycles["variable"] == "KneeAngles") & (session.cycles["component"] == "X") & (session.cycles["side"] == "R")
    session.cycles.loc[knee, "value"] += 100.0
    texts = [t.get_text() for axes in curves.kinematics(session).axes for t in axes.texts]
    highest = session.curves("R", "KneeAngles", "X").mean(axis=0).max()
    assert f"▲ {highest:.3g}" in texts


def test_bars_of_the_profile_are_as_high_as_the_scores(build):
    session = build(scores=True)
    # The page itself: `curves.scores` computes scores anew from cycles and norm (tests/contract/test_norm_afterwards.py).
    figure = scores_page(session, load_style(), None, condition="barefoot")
    heights = {c.get_gid(): c.get_paths()[0].vertices[:, 1].max() for axes in figure.axes for c in axes.collections if c.get_gid()}
    for score in session.scores.itertuples():
        assert heights[f"{score.side}|{score.score}|{score.variable}.{score.component}"] == score.value
    assert heights["norm score"] == 6.0
    words = [t.get_text() for t in figure.texts]
    # The right side's 9.2 lies 4.2 above the norm's 5.0. What matters is a change, and stands where sessions are compared.
    bold = {t.get_text() for t in figure.texts if t.get_weight() == "bold"}
    assert {"9.2", "4.2", "6.1", "1.1"} <= set(words) - bold
