"""What a person decided: one reader for `review.toml` and for a recipe, in both of its forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from biomech_id.errors import OptionError
from biomech_id.gait.by_hand import StanceVerdict
from biomech_id.gait.review import Comment, CycleChoice, EventChange, Repair
from biomech_id.request.job import Job
from biomech_id.request.recipe import Recipe, read_recipe, recipe_toml
from biomech_id.request.review_file import DECISION_TABLES, read_review, verdict_from
from biomech_id.trial import EventKind

TABLE = '[[verdict]]\ntrial = "walk 01"\nside = "L"\nstart_s = 2.33\nplate = 2\nreason = "seen on video"\nauthor = "AB"\n'
REVIEWED = StanceVerdict("walk 01", "L", ("plate 2",), None, 2.33, "seen on video", "AB")


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("walk 01 L 2 = plate 1", StanceVerdict("walk 01", "L", ("plate 1",), 2)),
        ("HC032A18 L 2.33 s = plate 1", StanceVerdict("HC032A18", "L", ("plate 1",), None, 2.33)),
        ("walk R 2 s = plate 1 + plate 3", StanceVerdict("walk", "R", ("plate 1", "plate 3"), None, 2.0)),
        ("walk R 1 = none", StanceVerdict("walk", "R", (), 1)),
        ("walk R 0.5s = None", StanceVerdict("walk", "R", (), None, 0.5)),
    ],
)
def test_a_line_names_a_stance_by_number_or_time(line: str, verdict: StanceVerdict) -> None:
    assert verdict_from(line) == verdict


@pytest.mark.parametrize("line", ["walk left = 1", "walk L = plate 1", "walk L 2.3 = plate 1", "L 2 = plate 1", "walk L 2 ="])
def test_a_line_that_cannot_be_read_is_refused_by_the_recipe(line: str) -> None:
    with pytest.raises(OptionError, match="cannot be read; it must be like") as caught:
        Recipe(stance_verdicts=(line,))
    assert "2.33 s" in caught.value.expected


def test_the_table_is_read_alike_from_review_and_recipe(tmp_path: Path) -> None:
    assert read_review(write(tmp_path, "review.toml", "schema = 1\n" + TABLE)).verdicts == (REVIEWED,)
    recipe = read_recipe(write(tmp_path, "recipe.toml", '[plates]\nstance_verdicts = ["walk R 1 = none"]\n' + TABLE))
    assert recipe.stance_verdicts == ("walk R 1 = none", REVIEWED)
    inline = (
        'stance_verdicts = [{ trial = "walk 01", side = "L", start_s = 2.33, plate = 2, reason = "seen on video", author = "AB" }]'
    )
    assert read_recipe(write(tmp_path, "recipe.toml", "[plates]\n" + inline)).stance_verdicts == (REVIEWED,)


def test_a_recipe_with_both_forms_survives_the_round_trip(tmp_path: Path) -> None:
    several = StanceVerdict("walk", "R", ("plate 1", "plate 2"), None, 1.0)
    recipe = Recipe(stance_verdicts=("walk L 1 = none", REVIEWED, several, StanceVerdict("walk", "L", (), None, 0.5)))
    assert read_recipe(write(tmp_path, "recipe.toml", recipe_toml(recipe))) == recipe
    assert Recipe(stance_verdicts=recipe.as_dict()["plates"]["stance_verdicts"]) == recipe


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("plate = 2", "plate = 0", 'verdict[1].plate is 0; it must be a plate\'s number, a list of numbers, or "none".'),
        ("plate = 2", "plate = true", "verdict[1].plate is True"),
        ("plate = 2", "plate = []", "verdict[1].plate is []"),
        ("plate = 2", 'plate = "north"', "verdict[1].plate is 'north'"),
        ("plate = 2\n", "", "verdict[1].plate is missing."),
        ("start_s = 2.33", 'start_s = "late"', "verdict[1].start_s is 'late'; it must be a number s."),
        ('side = "L"', 'side = "left"', "verdict[1].side is 'left'; it must be one of L, R."),
        ("author", "autor", "there is no setting verdict[1].autor. Did you mean 'author'?"),
        ("schema = 1", "schema = 3", "schema is 3"),
        ("schema = 1\n", "", "schema is missing."),
        ("[[verdict]]", "[[verdicts]]", "there is no setting verdicts. Did you mean 'verdict'?"),
    ],
)
def test_a_mistake_in_a_review_is_a_sentence(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = "schema = 1\n" + TABLE
    assert old in text
    with pytest.raises(OptionError) as caught:
        read_review(write(tmp_path, "review.toml", text.replace(old, new)))
    assert says in caught.value.message
    assert caught.value.where == "review.toml"


OTHERS = {
    "cycle": 'trial = "walk"\nside = "L"\nstart_s = 1.0\nuse = false\n',
    "stance": 'trial = "walk"\nside = "L"\nstart_s = 1.0\nuse = false\nreason = "stumbled"\n',
    "event": 'trial = "walk"\nside = "L"\nkind = "Foot Off"\ntime_s = 1.0\nnew_time_s = 1.1\n',
    "placement": 'since = "walk"\nmarkers = ["LTHI"]\nstatic = "static"\n',
    "comment": 'trial = "walk"\ntime_s = 1.0\ntext = "stumbles"\nauthor = "AB"\n',
}


def test_every_decision_is_read(tmp_path: Path) -> None:
    assert {"verdict", "repair", *OTHERS} == DECISION_TABLES.keys()
    text = "schema = 1\n" + TABLE + "".join(f"[[{name}]]\n{keys}" for name, keys in OTHERS.items())
    review = read_review(write(tmp_path, "review.toml", text))
    assert review.cycles == (CycleChoice("walk", "L", 1.0, False),)
    assert review.verdicts == (REVIEWED, StanceVerdict("walk", "L", (), None, 1.0, "stumbled"))
    assert review.events == (EventChange("walk", "L", EventKind.FOOT_OFF, 1.0, 1.1),)
    assert review.comments == (Comment("walk", 1.0, "stumbles", author="AB"),)
    assert review.file == "review.toml"
    put_in = write(tmp_path, "review.toml", "schema = 1\n[[stance]]\n" + OTHERS["stance"].replace("false", "true"))
    assert read_review(put_in).verdicts[0].plates is None


REPAIR = '[[repair]]\nkind = "labels"\nwhat = ["LKNE", "LANK"]\n'


def test_a_repair_is_read(tmp_path: Path) -> None:
    text = f'schema = 2\n{REPAIR}trials = ["walk"]\nauthor = "AB"\n[[repair]]\nkind = "plate"\nwhat = [2, "x"]\nsince = "walk02"\n'
    review = read_review(write(tmp_path, "review.toml", text + '[[repair]]\nkind = "static"\nwhat = ["../before/static.c3d"]\n'))
    labels, plate, static = review.repairs
    assert labels == Repair("labels", ("LKNE", "LANK"), trials=("walk",), author="AB")
    assert plate == Repair("plate", (2, "x"), since="walk02")
    assert static.what == (str(tmp_path / "../before/static.c3d"),)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("labels", "lables", "kind is 'lables'"),
        ('["LKNE", "LANK"]', '["LKNE"]', "the repair of labels is about ['LKNE'], not two labels of markers"),
        ('["LKNE", "LANK"]', '["LKNE", "LKNE"]', "not two labels of markers"),
        ('kind = "labels"', 'kind = "plate"', "not a plate's number and the axis"),
        ('what = ["LKNE", "LANK"]', "", "repair[1].what is missing"),
    ],
)
def test_a_mistake_in_a_repair_is_a_sentence(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(OptionError) as caught:
        read_review(write(tmp_path, "review.toml", "schema = 2\n" + REPAIR.replace(old, new)))
    assert says in caught.value.message


@pytest.mark.parametrize("name", [name for name in OTHERS if name != "placement"])
def test_a_decision_about_no_trial_is_refused(tmp_path: Path, name: str) -> None:
    text = f"schema = 1\n[[{name}]]\n{OTHERS[name].replace('trial =', '# trial =')}"
    with pytest.raises(OptionError, match=rf"{name}\[1\].trial is missing"):
        read_review(write(tmp_path, "review.toml", text))


@pytest.mark.parametrize("change", ["", "new = true\nnew_time_s = 1.1\n", "new = false\n", "deleted = true\nnew = true\n"])
def test_an_event_is_moved_or_added_or_deleted(tmp_path: Path, change: str) -> None:
    text = "schema = 1\n[[event]]\n" + OTHERS["event"].replace("new_time_s = 1.1\n", change)
    with pytest.raises(OptionError, match="exactly one of new_time_s, new = true and deleted = true"):
        read_review(write(tmp_path, "review.toml", text))


def test_the_folders_own_review_counts_behind_the_recipe_and_one_that_is_named_before_it(tmp_path: Path) -> None:
    folder, other = tmp_path / "anna", tmp_path / "other.toml"
    folder.mkdir()
    job = Job((folder,), recipe=Recipe(stance_verdicts=("walk 01 L 1 = none",)))
    assert [str(verdict) for verdict in job.decisions().verdicts] == ["walk 01 L 1 = none"]
    write(folder, "review.toml", "schema = 1\n" + TABLE)
    assert [str(verdict) for verdict in job.decisions().verdicts] == ["walk 01 L 1 = none", "walk 01 L 2.33 s = plate 2"]
    write(tmp_path, "other.toml", "schema = 1\n")
    named = Job((folder,), review=other)
    assert named.decisions().verdicts == ()
    assert "--review other.toml" in named.command()
    with pytest.raises(OptionError, match="says both"):
        Job((folder,), recipe=Recipe(stance_verdicts=("walk L 1 = none", "walk L 1 = plate 1"))).decisions()
    write(folder, "review.toml", "schema = 1\n" + TABLE + TABLE.replace("plate = 2", "plate = 1"))
    with pytest.raises(OptionError, match=r"review\.toml says both"):
        job.decisions()
