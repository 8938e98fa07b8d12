"""No hash under a code gives a name back: a dictionary of names and birth dates is held against everything that looks like one."""

from __future__ import annotations

import base64
import hashlib
import hmac
import io
import json
import os
import re
import shutil
import stat
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from biomech_id import analyse
from biomech_id.cli.app import app
from biomech_id.errors import MissingInputError
from biomech_id.pipeline.manifest_job import job_from_manifest
from biomech_id.pipeline.run import run_job
from biomech_id.pipeline.study.resume import still_valid
from biomech_id.request.input_hashes import InputHashes, read_key
from biomech_id.request.job import Job
from biomech_id.request.recipe import read_recipe
from biomech_id.request.subject_file import subject_toml
from biomech_id.sample import virtual_subject, write_c3d
from biomech_id.trial import Subject

NAMES = ("Anna Lindqvist", "Bjoern Okafor", "Gerda Haverkamp", "Ivana Dvorak", "Mehmet Yildiz", "Zoe Kowalczyk")
NAME, BORN = "Gerda Haverkamp", date(2011, 3, 4)
DAYS = tuple(date(2011, 1, 1) + timedelta(days=k) for k in range(120))
#: Who knows the results knows the mass that they print.
MASS_KG = 71.5
RECIPE = "[output]\nreport = false\nbudget = false\nuncertainty = false\n"
STYLE = '[laboratory]\nname = "{}"\n'
REVIEW = 'schema = 1\n[[comment]]\ntrial = "walk01"\ntime_s = 1.0\ntext = "tired"\nauthor = "{}"\n'


def biomech_id(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def template_of(name: str, born: date | None) -> str:
    """What ``biomech-id subject`` writes, completed."""
    return subject_toml(Subject(code=name, mass_kg=MASS_KG, birth_date=born and born.isoformat()))


def subject_texts() -> Iterator[str]:
    """Every subject.toml of the dictionary, in each form that the template allows."""
    for name in NAMES:
        for born in (None, *DAYS):
            whole = template_of(name, born)
            keys = [line for line in whole.splitlines() if line and not line.startswith("#")]
            bare = "\n".join(keys)
            for text in (whole, f"{bare}\n", bare):
                # A day of TOML, and the same in quotes.
                yield from (text, re.sub(r'(?<=birth_date = )"?([0-9-]+)"?', r"\1", text))


def typed_bytes() -> Iterator[bytes]:
    """Every text that somebody may have typed, as editors save it."""
    for text in (*subject_texts(), *(form.format(name) for form in (REVIEW, STYLE) for name in NAMES), *NAMES):
        for each in (text, text.replace("\n", "\r\n")):
            yield each.encode()
            yield b"\xef\xbb\xbf" + each.encode()


def known_hashes() -> set[str]:
    """The first twelve characters of every hash of the dictionary, in hexadecimal and in base64."""
    found = set()
    for data in set(typed_bytes()):
        for kind in ("sha256", "sha1", "md5", "sha512", "blake2b"):
            digest = hashlib.new(kind, data).digest()
            found |= {digest.hex()[:12], base64.b64encode(digest).decode()[:12], base64.urlsafe_b64encode(digest).decode()[:12]}
    return found


def contents(name: str, data: bytes) -> Iterator[tuple[str, str]]:
    """A file's text, and of archives and PDFs that of what they hold."""
    if name.endswith((".npz", ".zip")):
        with zipfile.ZipFile(io.BytesIO(data)) as held:
            yield name, " ".join(held.namelist())
            for each in held.namelist():
                yield from contents(f"{name}:{each}", held.read(each))
    elif name.endswith(".pdf"):
        from pypdf import PdfReader

        reader = PdfReader(io.BytesIO(data))
        yield name, " ".join((*(page.extract_text() for page in reader.pages), str(reader.metadata), str(reader.trailer)))
    yield name, data.decode("latin-1")


def hashes_in(folder: Path) -> dict[str, set[str]]:
    """First twelve characters of whatever may be a hash in a folder -> files it stands in."""
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        for file, text in ((name, name), *(contents(name, path.read_bytes()) if path.is_file() else ())):
            for word in (*re.findall(r"[0-9a-fA-F]{12,128}", text), *re.findall(r"[A-Za-z0-9+/_-]{12,}", text)):
                found.setdefault(word[:12].lower() if re.fullmatch("[0-9A-F]{12,}", word) else word[:12], set()).add(file)
    return found


def given_back(folders: Iterable[Path]) -> dict[str, set[str]]:
    """Hashes in folders of results that the dictionary undoes -> files they stand in."""
    known = known_hashes()
    found: dict[str, set[str]] = {}
    for folder in folders:
        for word, files in hashes_in(folder).items():
            if word in known:
                found.setdefault(word, set()).update(f"{folder.name}/{file}" for file in files)
    return found


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of one person whose name somebody typed in every file, results under codes, and results as they are."""
    root = tmp_path_factory.mktemp("lab")
    person, folder = virtual_subject(), root / "study" / "gerda"
    folder.mkdir(parents=True)
    write_c3d(person.static("static"), folder / "static.c3d")
    write_c3d(person.walk("walk01"), folder / "walk01.c3d")
    (folder / "subject.toml").write_text(template_of(NAME, BORN), encoding="utf-8")
    (folder / "review.toml").write_text(REVIEW.format(NAME), encoding="utf-8")
    (root / "style.toml").write_text(STYLE.format(NAME), encoding="utf-8")
    (root / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    (root / "codes").mkdir()
    (root / "codes" / "codes.csv").write_text("folder,code\ngerda,P017\n", encoding="utf-8")
    with_recipe = ("--recipe", root / "recipe.toml")
    for words in (
        ("run", folder, "-o", root / "plain", *with_recipe),
        ("report", root / "plain", "--pages", "methods"),
        ("run", folder, "-o", root / "coded", "--code", "P017", *with_recipe, "--review-page"),
        ("report", root / "coded", "--pages", "methods", "--style", root / "style.toml", "--review", folder / "review.toml"),
        ("opensim", folder, "-o", root / "handed", "--code", "P017", *with_recipe),
        batch_of(root),
        ("report", root / "batch" / "P017", "--pages", "methods"),
    ):
        result = biomech_id(*words)
        assert result.exit_code in (0, 3), (words, result.output)
    return root


def batch_of(root: Path) -> tuple[str | Path, ...]:
    words = ("batch", root / "study", "-o", root / "batch", "--codes", root / "codes" / "codes.csv")
    return (*words, "--recipe", root / "recipe.toml", "--workers", "1")


@pytest.fixture
def lab(original: Path, tmp_path: Path) -> Path:
    """One's own copy of it."""
    return Path(shutil.copytree(original, tmp_path / "lab"))


def inputs_of(out: Path) -> dict[str, str]:
    return dict(json.loads((out / "manifest.json").read_text(encoding="utf-8"))["inputs"])


def sha256_in(folder: Path, name: str) -> str:
    return hashlib.sha256((folder / name).read_bytes()).hexdigest()


def job_of(lab: Path, key: Path | None) -> Job:
    return Job((lab / "study" / "gerda",), read_recipe(lab / "recipe.toml"), code="P017", key=key)


def test_the_dictionary_undoes_results_without_a_code(original: Path) -> None:
    """The test's own test: a plain hash of what was typed gives name and birth date back, from manifest and report."""
    folder = original / "study" / "gerda"
    plain = {name: sha256_in(folder, name) for name in ("review.toml", "static.c3d", "subject.toml", "walk01.c3d")}
    assert inputs_of(original / "plain") == plain
    found = given_back([original / "plain"])
    assert found == {plain[name][:12]: {"plain/manifest.json", "plain/report.pdf"} for name in ("subject.toml", "review.toml")}


def test_no_hash_under_a_code_is_one_of_the_dictionary(original: Path) -> None:
    folders = [original / name for name in ("coded", "handed", "batch")]
    assert {path.suffix for folder in folders for path in folder.rglob("*")} >= {".csv", ".html", ".json", ".npz", ".pdf", ".toml"}
    assert given_back(folders) == {}


def test_the_key_lies_beside_the_codes_and_in_no_result(original: Path) -> None:
    key, folder, told = original / "codes" / "codes.key", original / "study" / "gerda", inputs_of(original / "batch" / "P017")
    secret = key.read_text(encoding="ascii").strip()
    assert re.fullmatch("[0-9a-f]{64}", secret)
    assert os.name == "nt" or stat.S_IMODE(key.stat().st_mode) == 0o600
    assert [path for path in original.rglob("*.key") if path != key] == []
    assert all(secret.encode() not in path.read_bytes() for path in (original / "batch").rglob("*") if path.is_file())
    for name in ("subject.toml", "review.toml"):
        said = f"P017\n{sha256_in(folder, name)}".encode()
        assert told[f"P017_{name}"] == "hmac-sha256:" + hmac.new(bytes.fromhex(secret), said, "sha256").hexdigest()
    assert told["P017_walk01.c3d"] == sha256_in(folder, "walk01.c3d")


def test_without_a_key_there_is_no_hash_of_what_was_typed(original: Path) -> None:
    folder, told = original / "study" / "gerda", inputs_of(original / "coded")
    recorded = {"P017_static01.c3d": sha256_in(folder, "static.c3d"), "P017_walk01.c3d": sha256_in(folder, "walk01.c3d")}
    assert told == {**recorded, "P017_subject.toml": "unverified", "P017_review.toml": "unverified"}
    drawn = json.loads((original / "coded" / "manifest.json").read_text(encoding="utf-8"))["drawn"]
    assert drawn["style"] == {"name": "P017_style.toml", "sha256": "unverified"}


def test_resume_keeps_what_the_key_shows_to_be_the_same(lab: Path) -> None:
    key, typed = lab / "codes" / "codes.key", lab / "study" / "gerda" / "subject.toml"
    assert still_valid(job_of(lab, key), lab / "batch" / "P017") is not None
    # Nobody can know without the key; nor where the earlier results were made without.
    assert still_valid(job_of(lab, None), lab / "batch" / "P017") is None
    assert still_valid(job_of(lab, None), lab / "coded") is None
    assert still_valid(job_of(lab, key), lab / "coded") is None
    typed.write_text(template_of(NAME, date(2011, 3, 5)), encoding="utf-8")
    assert still_valid(job_of(lab, key), lab / "batch" / "P017") is None
    typed.unlink()
    assert still_valid(job_of(lab, key), lab / "batch" / "P017") is None


def test_what_somebody_types_since_is_seen_without_a_key(lab: Path) -> None:
    folder = lab / "study" / "gerda"
    texts = {name: (folder / name).read_bytes() for name in ("subject.toml", "review.toml")}
    for name in texts:
        (folder / name).unlink()
    run_job(job_of(lab, None), lab / "out")
    assert still_valid(job_of(lab, None), lab / "out") is not None
    (folder / "subject.toml").write_bytes(texts["subject.toml"])
    assert still_valid(job_of(lab, None), lab / "out") is None


def test_results_come_out_the_same_with_the_key_and_say_so_without(lab: Path) -> None:
    again = ("reproduce", lab / "batch" / "P017", "--input", lab / "study" / "gerda")
    equal = ".: equal, byte for byte\n"
    result = biomech_id(*again, "--key", lab / "codes" / "codes.key")
    assert (result.exit_code, result.stdout) == (0, equal)
    result = biomech_id(*again)
    without = f"{equal}  unverified: P017_review.toml, P017_subject.toml (name their key with --key)\n"
    assert (result.exit_code, result.stdout) == (0, without)


def test_another_key_is_named(lab: Path) -> None:
    other = lab / "other.key"
    other.write_text("5e" * 32, encoding="ascii")
    result = biomech_id("reproduce", lab / "batch" / "P017", "--input", lab / "study" / "gerda", "--key", other)
    assert result.exit_code == 1
    assert f"key {other}: fits none of the 2 hashes made with a key" in result.stdout
    absent = biomech_id("reproduce", lab / "batch" / "P017", "--input", lab / "study" / "gerda", "--key", lab / "no.key")
    assert (absent.exit_code, (lab / "no.key").exists()) == (1, False)
    assert "The key" in absent.stderr
    assert "cannot be read" in absent.stderr


def test_results_without_a_key_come_out_the_same_and_say_so(lab: Path) -> None:
    again = ("reproduce", lab / "coded", "--input", lab / "study" / "gerda", "--also", lab / "style.toml")
    again = (*again, "--also", lab / "study" / "gerda" / "review.toml")
    names = "P017_review.toml, P017_subject.toml, P017_style.toml"
    said = f".: equal, byte for byte\n  unverified: {names} (the results were made without a key)\n"
    result = biomech_id(*again)
    assert (result.exit_code, result.stdout) == (0, said)
    # A key that came later says nothing of them.
    result = biomech_id(*again, "--key", lab / "codes" / "codes.key")
    assert (result.exit_code, result.stdout) == (0, said)


def test_a_file_that_lies_elsewhere_is_found_by_the_key_or_by_its_name(lab: Path) -> None:
    folder, key = lab / "study" / "gerda", lab / "codes" / "codes.key"
    (lab / "about").mkdir()
    about = (folder / "subject.toml").rename(lab / "about" / "gerda.toml")
    manifest = {"command": "biomech-id run . --subject P017_subject.toml --code P017", "recipe": {}}
    told = {"P017_subject.toml": InputHashes.of("P017", key).entry("gerda.toml", sha256_in(about.parent, about.name))}
    assert job_from_manifest({**manifest, "inputs": told}, folder, also=[lab / "about"], key=key).subject_file == about
    with pytest.raises(MissingInputError, match=r"does not hold P017_subject\.toml.*--key.*called P017_subject\.toml, with --also"):
        job_from_manifest({**manifest, "inputs": told}, folder, also=[lab / "about"])
    named = about.rename(lab / "about" / "P017_subject.toml")
    assert job_from_manifest({**manifest, "inputs": told}, folder, also=[lab / "about"]).subject_file == named


def test_a_key_is_refused_where_it_protects_nothing(lab: Path) -> None:
    folder = lab / "study" / "gerda"
    result = biomech_id("run", folder, "-o", lab / "out", "--code", "P017", "--key", lab / "out" / "lab.key")
    assert (result.exit_code, "would lie in the results" in result.stderr) == (1, True)
    result = biomech_id("run", folder, "-o", lab / "out", "--key", lab / "lab.key")
    assert (result.exit_code, "without a code" in result.stderr) == (1, True)
    assert not (lab / "out").exists()
    assert not (lab / "lab.key").exists()
    (lab / "batch" / "codes.csv").write_text("folder,code\ngerda,P017\n", encoding="utf-8")
    result = biomech_id("batch", lab / "study", "-o", lab / "batch", "--codes", lab / "batch" / "codes.csv")
    assert (result.exit_code, "would lie in the results" in result.stderr) == (1, True)


def test_values_without_a_folder_are_told_in_the_same_way(lab: Path) -> None:
    key, folder = lab / "lab.key", lab / "study" / "gerda"
    recipe = read_recipe(lab / "recipe.toml")
    assert analyse(folder, recipe=recipe, code="P017").manifest["inputs"] == inputs_of(lab / "coded")
    told = analyse(folder, recipe=recipe, code="P017", key=key).manifest["inputs"]
    assert told["P017_subject.toml"] == InputHashes("P017", read_key(key)).entry("a.toml", sha256_in(folder, "subject.toml"))


def test_recordings_in_text_whose_numbers_are_handed_on_do_not_give_back_their_names(lab: Path) -> None:
    """A hand-over under a code holds the very numbers of the TRC that was read: only the name in its first line is missing."""
    texts, first = lab / "plain_texts", lab / "study" / "gerda"
    assert biomech_id("opensim", first, "-o", texts, "--recipe", lab / "recipe.toml").exit_code in (0, 3)
    folder = lab / "texts"
    folder.mkdir()
    shutil.copyfile(texts / "subject.toml", folder / "subject.toml")
    for name in ("static", "walk01"):
        text = (texts / f"{name}.trc").read_text(encoding="utf-8")
        (folder / f"haverkamp_{name}.trc").write_text(
            text.replace(f"{name}.trc", f"haverkamp_{name}.trc"), encoding="utf-8", newline="\n"
        )
    key = lab / "codes" / "codes.key"
    for out, words in (("bare", ()), ("keyed", ("--key", key))):
        ran = biomech_id("run", folder, "-o", lab / out, "--code", "P018", "--recipe", lab / "recipe.toml", *words)
        assert ran.exit_code in (0, 3), ran.output
    assert biomech_id("opensim", folder, "-o", lab / "over", "--code", "P018", "--recipe", lab / "recipe.toml").exit_code in (0, 3)
    handed = (lab / "over" / "P018_static01.trc").read_text(encoding="utf-8")
    filled = [handed.replace("P018_static01.trc", f"{name}_static.trc").encode() for name in ("lindqvist", "haverkamp")]
    assert (folder / "haverkamp_static.trc").read_bytes() in filled
    known = {hashlib.sha256(text).hexdigest()[:12] for text in filled}
    assert not known & {*hashes_in(lab / "bare"), *hashes_in(lab / "keyed"), *hashes_in(lab / "over")}
    equal, again = ".: equal, byte for byte\n", ("--input", folder)
    without = f"{equal}  unverified: P018_static01.trc, P018_subject.toml, P018_walk01.trc (the results were made without a key)\n"
    assert biomech_id("reproduce", lab / "bare", *again).stdout == without
    assert biomech_id("reproduce", lab / "keyed", *again, "--key", key).stdout == equal
