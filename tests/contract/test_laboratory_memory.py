"""``run --lab``: findings and manifest say what the laboratory remembers; no curve moves, and the folder may be gone afterwards."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from biomech_id.cli.app import app
from biomech_id.judgement.laboratory.left_behind import FREE_MOMENT, SLOPE
from biomech_id.sample import virtual_subject, write_c3d
from tests.unit.judgement.test_laboratory_memory import summary, written

#: What a memory may change: findings, the manifest that holds it, and replays of nothing.
MAY_DIFFER = {"summary.json", "manifest.json"}
QUICK = "[output]\nreport = false\nbudget = false\n"


def biomech_id(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def document(out: Path, name: str = "summary.json") -> Any:
    return json.loads((out / name).read_text(encoding="utf-8"))


def rules(out: Path) -> list[str]:
    return [each["rule"] for each in document(out)["findings"]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One person's recordings, analysed without and with a laboratory's memory of 30 sessions, the person's own among them."""
    root = tmp_path_factory.mktemp("memory")
    person = virtual_subject(code="ben")
    (root / "ben").mkdir()
    write_c3d(person.static("static"), root / "ben" / "static.c3d")
    write_c3d(person.walk("walk01"), root / "ben" / "walk01.c3d")
    (root / "quick.toml").write_text(QUICK, encoding="utf-8")
    legs = {"code": "ben", "session_date": None, "age_years": 40.0, "leg_length_m": {"L": 0.5, "R": 0.5}}
    written(root / "lab", [*(summary(at) for at in range(29)), summary(29, subject=legs)])
    for name, more in (("plain", ()), ("remembered", ("--lab", root / "lab"))):
        ran = biomech_id("run", root / "ben", "-o", root / name, "--recipe", root / "quick.toml", *more)
        assert ran.exit_code in (0, 3), ran.output
    return root


def test_no_curve_and_no_table_moves_by_a_byte(made: Path) -> None:
    files = {
        name: {path.relative_to(made / name).as_posix(): path.read_bytes() for path in (made / name).rglob("*") if path.is_file()}
        for name in ("plain", "remembered")
    }
    assert files["plain"].keys() == files["remembered"].keys()
    assert {name for name, content in files["plain"].items() if content != files["remembered"][name]} == MAY_DIFFER
    assert any(name.startswith("trials/") for name in files["plain"])
    plain, remembered = (document(made / name) for name in ("plain", "remembered"))
    changed = {key for key in plain if plain[key] != remembered[key]}
    assert changed == {"findings", "complaints", "recipe"}


def test_findings_say_what_is_remembered_and_the_manifest_holds_it(made: Path) -> None:
    new = [rule for rule in rules(made / "remembered") if rule not in rules(made / "plain")]
    assert new == ["lab-remembers", "lab-bones-differ"]
    manifest = document(made / "remembered", "manifest.json")
    assert manifest["recipe"]["laboratory"] == {"lab": "lab", "diagnose": False}
    memory = manifest["memory"]
    assert len(memory["sessions"]) == 30
    assert {len(each) for each in memory["sessions"]} == {64}
    assert {(chart["chart"], chart["of"]) for chart in memory["charts"]} >= {("plate x", "plate 1"), ("mass", "")}
    assert memory["person"] == [
        {"date": "", "age_years": 40.0, "treated": [], "sizes_m": {"leg_length_m L": 0.5, "leg_length_m R": 0.5}}
    ]
    assert str(made) not in json.dumps(manifest)
    assert "memory" not in document(made / "plain", "manifest.json")


def test_what_a_walk_leaves_behind_is_in_the_results(made: Path) -> None:
    (trial,) = document(made / "plain")["trials"]
    assert set(trial["residuals"][SLOPE]) == {"plate 1", "plate 2"}
    assert 0.66 < trial["residuals"][SLOPE]["plate 1"] < 0.9
    assert 8.0 < trial["residuals"][FREE_MOMENT]["plate 1"] < 20.0
    assert set(trial["residuals"]["hip rotation"]) == {"L", "R"}


def test_reproduced_without_the_folder(made: Path) -> None:
    shutil.move(made / "lab", made / "elsewhere")
    try:
        again = biomech_id("reproduce", made / "remembered", "--input", made / "ben")
        assert again.exit_code == 0, again.output
        refused = biomech_id("run", made / "ben", "-o", made / "third", "--lab", made / "lab")
        assert refused.exit_code == 1
        assert "past results, which --lab names" in refused.output
        recordings = biomech_id("run", made / "ben", "-o", made / "third", "--lab", made / "ben")
        assert recordings.exit_code == 1
        assert "ben, which --lab names, holds recordings and no results" in recordings.output
        assert not (made / "third").exists()
    finally:
        shutil.move(made / "elsewhere", made / "lab")


def test_a_session_is_not_its_own_past(made: Path) -> None:
    """Results that lie in the folder themselves, of the same recordings, teach nothing."""
    own = made / "own"
    shutil.copytree(made / "plain", own / "ben")
    ran = biomech_id("run", made / "ben", "-o", own / "again", "--recipe", made / "quick.toml", "--lab", own)
    assert ran.exit_code in (0, 3), ran.output
    nothing = {"sessions": [], "charts": [], "plates": [], "person": [], "unread": 0, "elsewhere": 0}
    assert document(own / "again", "manifest.json")["memory"] == nothing


def test_a_line_in_the_recipe_does_the_same(made: Path) -> None:
    recipe = made / "lab.toml"
    recipe.write_text(QUICK + f"[laboratory]\nlab = '{made / 'lab'}'\n", encoding="utf-8")
    assert biomech_id("run", made / "ben", "-o", made / "by_recipe", "--recipe", recipe).exit_code in (0, 3)
    for name in ("summary.json", "manifest.json"):
        assert (made / "by_recipe" / name).read_bytes() == (made / "remembered" / name).read_bytes()
