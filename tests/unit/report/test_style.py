"""Style, scales and labels are data: complete, the same in both languages, and refused with a sentence when they cannot be used."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

import biomech_id.report as report
from biomech_id.conventions import cycle_rows
from biomech_id.errors import OptionError
from biomech_id.judgement.quality import RULES
from biomech_id.languages import LANGUAGES, missing_words
from biomech_id.report import draw_report
from biomech_id.report.layout.scale import Scale
from biomech_id.report.layout.style import load_style

ROOM = Path(report.__file__).parent


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_the_same_labels_with_the_same_blanks():
    english, german = (load_style(language=language).labels for language in LANGUAGES)
    assert set(german) == set(english)
    for key, text in english.items():
        assert fields(text) == fields(german[key]), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_knows_every_word_of_the_sign_table_and_every_rule(language):
    known = load_style(language=language).labels
    words = {word for row in cycle_rows() for word in (row.title, row.positive, row.negative)}
    assert words <= set(known), words - set(known)
    assert {f"rule.{rule.name}" for rule in RULES} == {key for key in known if key.startswith("rule.")}
    assert missing_words(language) == []


def test_every_label_that_the_code_asks_for_exists():
    known = set(load_style().labels)
    asked, families = set(), set()
    for module in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "label":
                for argument in ast.walk(node.args[0]):
                    if isinstance(argument, ast.Constant) and "." in str(argument.value):
                        value = str(argument.value)
                        (families if value.endswith(".") or isinstance(node.args[0], ast.JoinedStr) else asked).add(value)
    assert len(asked) > 60
    assert asked <= known, asked - known
    assert {f.split(".")[0] for f in families} <= {key.split(".")[0] for key in known} | {"rule"}


def test_every_variable_has_a_scale_whose_ticks_lie_on_it():
    style = load_style()
    for row in cycle_rows():
        for run in (False, True):
            scale = style.scale(row, run=run)
            assert scale.low < scale.high
            assert len(scale.ticks) >= 3
            assert all(scale.low <= tick <= scale.high for tick in scale.ticks)
    assert Scale(-15.0, 20.0, 10.0).ticks == (-10.0, 0.0, 10.0, 20.0)


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour (IEC 61966-2-1): what a grey print shows."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_left_and_right_differ_in_grey_print_and_by_dashes():
    style = load_style()
    light, dark = sorted((luminance(style.colour(side)) for side in "LR"), reverse=True)
    # WCAG's contrast ratio; 1.5 is clearly visible side by side, 1 is the same grey.
    assert (light + 0.05) / (dark + 0.05) > 1.5
    assert style.dashes("L") != style.dashes("R")
    for side in "LR":
        # Both readable as thin lines on white paper: WCAG asks 3 of graphics.
        assert 1.05 / (luminance(style.colour(side)) + 0.05) > 3


def test_a_laboratory_changes_single_lines(session, tmp_path):
    from PIL import Image

    Image.new("RGB", (40, 20), "navy").save(tmp_path / "logo.png")
    (tmp_path / "lab.toml").write_text(
        'language = "de"\n[laboratory]\nname = "Ganglabor Nord"\nlogo = "logo.png"\n[colours]\nleft = "#800000"\n'
        '[scales]\n"KneeAngles.X" = [0, 90, 30]\n[labels]\n"page.session" = "Befund"\n',
        encoding="utf-8",
    )
    style = load_style(tmp_path / "lab.toml")
    assert style.colour("L") == "#800000"
    assert style.colour("R") == load_style().colour("R")
    assert style.scales["KneeAngles.X"].ticks == (0.0, 30.0, 60.0, 90.0)
    path = draw_report(session, tmp_path / "a.pdf", style=tmp_path / "lab.toml", pages=["cover", "kinetics_mean"])
    import pypdf

    first, second = (" ".join(page.extract_text().split()) for page in pypdf.PdfReader(path).pages)
    assert "Befund" in first
    assert "Ganglabor Nord" in first
    assert "Forschungssoftware, kein Medizinprodukt." in first
    assert "Innere Momente" in second
    assert "Hüftmoment sagittal" in second


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[colours]\nlft = "red"\n', "colours.lft is not something a style file can set. Did you mean 'left'"),
        ('[colours]\nleft = "rouge"\n', "'rouge', which is not a colour"),
        ('[text]\nbody = "large"\n', "text.body is 'large'; it must be a number from 5 to 24 points"),
        ("[text]\nbody = 40.0\n", "text.body is 40.0; it must be a number from 5 to 24 points"),
        ("[text]\nbody = nan\n", "text.body is nan"),
        ('[text]\nfamily = "Comic Foo"\n', "text.family is 'Comic Foo', and no font of that name is installed"),
        ("[lines]\ncycle_width = -1.0\n", "lines.cycle_width is -1.0; it must be a number from 0.05 to 6 points"),
        ("[lines]\nband_opacity = 3.0\n", "lines.band_opacity is 3.0; it must be a number from 0 to 1"),
        ('[lines]\nleft_dashes = ["a"]\n', "lines.left_dashes is ['a']; it must be a list of lengths"),
        ("[lines]\nright_dashes = [1.0]\n", "lines.right_dashes is [1.0]; it must be a list of lengths"),
        ("[lines]\nright_dashes = [-1.0, 2.0]\n", "lines.right_dashes is [-1.0, 2.0]"),
        ('[colours]\nright = "#b5121b"\n[lines]\nright_dashes = []\n', "left and right are drawn alike (#b5121b)"),
        ("scales = 3\n", "[scales] must be a table"),
        ('[scales]\n"KneeAngles.X" = [0, inf, 20]\n', "the scale of KneeAngles.X is [0, inf, 20]"),
        ('[scales]\n"KneeAngles.X" = [true, 60, 20]\n', "the scale of KneeAngles.X is [True, 60, 20]"),
        ('[run_scales]\n"KneeAngles.X" = [0, 100, 0.001]\n', "with at most 50 ticks"),
        ("labels = 3\n", "[labels] must be a table"),
        ('[labels]\n"page.cover" = 3\n', "the label page.cover is 3; it must be a text"),
        ('[labels]\n"page.cover" = "{name}"\n', "it must be a text with no {blanks} as in 'Gait analysis'"),
        ('[labels]\n"page.number" = "{page"\n', "it must be a text with {page}, {pages}"),
        ('[labels]\n"page.number" = "{page:q}"\n', "it must be a text with {page}, {pages}"),
        ('[scales]\n"KneeAngles.X" = [60, 0, 20]\n', "the scale of KneeAngles.X is [60, 0, 20]"),
        ('[scales]\n"KneeAngle.X" = [0, 60, 20]\n', "Did you mean 'KneeAngles.X'"),
        ('[labels]\n"page.covr" = "x"\n', "Did you mean 'page.cover'"),
        ('language = "fr"\n', "no labels in the language 'fr'"),
        ("colours = 3\n", "[colours] must be a table"),
        ("not toml", "cannot be read"),
    ],
)
def test_a_style_that_cannot_be_used_is_one_sentence(tmp_path, text, said):
    path = tmp_path / "lab.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=re.escape(said)):
        load_style(path)


def test_a_style_file_that_is_not_there_and_a_logo_that_is_none(session, tmp_path):
    with pytest.raises(OptionError, match="cannot be read"):
        load_style(tmp_path / "missing.toml")
    (tmp_path / "lab.toml").write_text('[laboratory]\nlogo = "logo.png"\n', encoding="utf-8")
    (tmp_path / "logo.png").write_text("no picture", encoding="utf-8")
    with pytest.raises(OptionError, match="logo"):
        draw_report(session, tmp_path / "a.pdf", style=tmp_path / "lab.toml", pages=["cover"])
