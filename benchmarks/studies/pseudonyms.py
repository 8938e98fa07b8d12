"""People's names in every place where a laboratory writes them, and what is left of them under a code: nothing.

``python -m benchmarks.studies.pseudonyms [N]`` makes N (200) identities. Each is written into a subject's folder of the virtual
subject: first and family name in either order, with any separator, in any case, with composed or decomposed umlauts or written out;
as SUBJECTS:NAMES, as a prefix of every label, in the names of files and folders, in ``subject.toml`` (code, birth date,
condition, clinic's notes), in ``review.toml``, in a file that is refused, and in a pattern of ``--exclude``. The folder goes
through ``run`` with ``--code``; the report is drawn of one in forty and the review page written of one in ten. Then every text of
what was written is searched for the words of the name, by code of its own: tables, JSON, arrays, page and PDF (its text, by pypdf).
The table lies beside this module.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import ezc3d
import numpy as np

from biomech_id import __version__
from biomech_id.cli import main as command_line
from biomech_id.sample import virtual_subject, write_c3d

SEED = 20260401
TABLE = Path(__file__).with_suffix(".md")
FIRST = (
    "Anneliese", "Jürgen", "Björn", "Zoë", "Tomás", "Émilie", "Søren", "Ivana", "Mehmet", "Aylin", "Henrike", "Oluwaseun",
    "Karsten", "Noémi", "Gäbi", "Liv", "Kim", "Ulrike", "Dörte", "Siobhan",
)  # fmt: skip
FAMILY = (
    "Müllerschön", "Okafor", "Grünwald", "Weiß", "Şahin", "Östlund", "Nuñez", "Kowalczyk", "Bößenecker", "Lindqvist", "Abubakar",
    "Fröhlich", "Haverkamp", "Dvořák", "Szymański", "Yıldız", "Quist", "Tränkle", "Vandenberghe", "O'Rourke",
)  # fmt: skip
SEPARATORS = ("_", "-", " ", "", ".", "__")
CASES = (str, str.upper, str.lower, str.title)
#: Where else the name stands besides the recordings' names.
PLACES = ("stored", "prefix", "folder", "toml", "refused", "exclude", "review", "nowhere else")
CODE = "P017"
WRITTEN_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


@dataclass(frozen=True)
class Identity:
    """One person, how the laboratory writes the name, and where."""

    first: str
    family: str
    order: bool
    separator: str
    case: int
    form: str
    places: tuple[str, ...]

    @property
    def written(self) -> str:
        """The name as the laboratory writes it."""
        parts = (self.first, self.family) if self.order else (self.family, self.first)
        text = CASES[self.case](self.separator.join(parts))
        return text.translate(WRITTEN_OUT) if self.form == "out" else unicodedata.normalize(self.form, text)

    @property
    def stored(self) -> str:
        """The name as a C3D file holds it, in bytes that every program reads."""
        return _plain(self.written.translate(WRITTEN_OUT)).encode("ascii", "ignore").decode() or "Somebody"


def identities(n: int, seed: int = SEED) -> Iterator[Identity]:
    """Yield people."""
    rng = np.random.default_rng(seed)
    for number in range(n):
        first, family = FIRST[int(rng.integers(len(FIRST)))], FAMILY[int(rng.integers(len(FAMILY)))]
        many = tuple(place for place in PLACES[:-1] if rng.random() < 0.5)
        yield Identity(
            first, family, bool(rng.integers(2)), SEPARATORS[number % len(SEPARATORS)], int(rng.integers(len(CASES))),
            ("NFC", "NFD", "out")[number % 3], tuple(dict.fromkeys((PLACES[number % len(PLACES)], *many))),
        )  # fmt: skip


def write_folder(person: Identity, source: Path, root: Path) -> tuple[Path, list[str]]:
    """Write the person's folder, and return it with further words of the command."""
    name, words = person.written, []
    folder = root / (name if "folder" in person.places else "subject")
    folder.mkdir(parents=True)
    for file in ("static", "walk01"):
        target = folder / f"{name}{person.separator or '_'}{file}.c3d"
        shutil.copyfile(source / f"{file}.c3d", target)
        if {"stored", "prefix"} & set(person.places):
            _into_c3d(target, person)
    if "toml" in person.places:
        condition = f"{person.first} barefoot"
        (folder / "subject.toml").write_text(
            f'code = "{name}"\nbirth_date = 2011-03-04\nsession_date = 2023-05-06\ncondition = "{condition}"\n[clinic]\n'
            f'"Seen by" = "{person.family}, with mother {name}"\n',
            encoding="utf-8",
        )
    if "review" in person.places:
        (folder / "review.toml").write_text(
            f'schema = 1\n[[comment]]\ntrial = "{name}{person.separator or "_"}walk01"\ntime_s = 1.0\n'
            f'text = "{person.first} tired"\nauthor = "{person.family}"\n',
            encoding="utf-8",
        )
    if "refused" in person.places:
        (folder / f"{name} broken.c3d").write_bytes(b"\x02\x50" + bytes(2000))
    if "exclude" in person.places:
        shutil.copyfile(source / "walk01.c3d", folder / f"{name}_bad.c3d")
        words += ["--exclude", f"{name}_b*"]
    return folder, words


def _into_c3d(path: Path, person: Identity) -> None:
    file = ezc3d.c3d(str(path))
    if "stored" in person.places:
        file["parameters"]["SUBJECTS"]["NAMES"]["value"] = [person.stored]
    if "prefix" in person.places:
        labels = file["parameters"]["POINT"]["LABELS"]
        labels["value"] = [f"{person.stored}:{label}" for label in labels["value"]]
    file.write(str(path))


def _plain(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


def searched(person: Identity) -> list[str]:
    """Words of the name in every spelling, lower case, without marks."""
    ways = (person.first, person.family, person.first.translate(WRITTEN_OUT), person.family.translate(WRITTEN_OUT))
    return sorted({word for way in ways for word in re.findall(r"[^\W\d_]{3,}", _plain(way).casefold())})


def survivors(person: Identity, out: Path) -> list[str]:
    """Files in which a word of the name stands."""
    found = []
    words = searched(person)
    # Three letters stand in other words: they count where they are a word.
    pattern = re.compile("|".join(word if len(word) > 3 else rf"(?<![^\W\d_]){word}(?![^\W\d_])" for word in words))
    for path in sorted(out.rglob("*")):
        texts = [path.name, *(_texts(path) if path.is_file() else ())]
        if any(pattern.search(_plain(text).casefold()) for text in texts):
            found.append(path.relative_to(out).as_posix())
    return found


def _texts(path: Path) -> Iterator[str]:
    data = path.read_bytes()
    if path.suffix == ".npz":
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            yield " ".join(str(each) for name in file.files if file[name].dtype.kind == "U" for each in np.ravel(file[name]))
    elif path.suffix == ".pdf":
        from pypdf import PdfReader

        reader = PdfReader(io.BytesIO(data))
        yield " ".join([*(page.extract_text() for page in reader.pages), str(reader.metadata)])
    else:
        text = data.decode("utf-8")
        if path.suffix == ".html":
            text = re.sub(
                r'<script type="text/plain".*?</script>|<script>.*?</script>|<style>.*?</style>', " ", text, flags=re.DOTALL
            )
        yield re.sub(r"\b[0-9a-f]{64}\b", " ", text)


def judged(person: Identity, source: Path, root: Path, *, report: bool, page: bool) -> tuple[int, list[str]]:
    """Exit code of ``run`` on the person's folder, and the files in which the name survived."""
    folder, words = write_folder(person, source, root)
    recipe, out = root / "recipe.toml", root / "out"
    recipe.write_text(
        f"[output]\nbudget = false\nuncertainty = false\nreport = {str(report).lower()}\nreview_page = {str(page).lower()}\n",
        encoding="utf-8",
    )
    arguments = ["run", str(folder), "-o", str(out), "--recipe", str(recipe), "--code", CODE, *words]
    code = run_here(arguments)
    return code, survivors(person, out) if out.is_dir() else ["(nothing was written)"]


def run_here(arguments: list[str]) -> int:
    """Run a command in this process, silently, and return its exit code."""
    before = sys.argv
    sys.argv = ["biomech-id", *arguments]
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
            command_line()
    except SystemExit as left:
        if left.code not in (0, 3, None):
            sys.stderr.write(said.getvalue())
        return int(left.code or 0)
    finally:
        sys.argv = before
    return 0


def virtual_session(folder: Path) -> Path:
    """Write a short session of the virtual subject."""
    person = virtual_subject()
    write_c3d(person.static("static"), folder / "static.c3d")
    write_c3d(person.walk("walk01"), folder / "walk01.c3d")
    return folder


def _write(counts: Counter[tuple[str, str]], failed: list[str]) -> None:
    """Write the table of what has been done so far."""
    lines = [
        f"biomech_id {__version__}, {counts['all', 'n']} identities, seed {SEED}; report of each 40th, review page of each 10th",
        "",
        "| the name stands in the recordings' names and in | identities | of which something survived, or nothing was written |",
        "|---|---|---|",
        *(f"| {where} | {counts[where, 'n']} | {counts[where, 'bad']} |" for where in (*PLACES, "all")),
        "", *failed,
    ]  # fmt: skip
    TABLE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def main(n: int = 200) -> int:
    """Write the table."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    counts: Counter[tuple[str, str]] = Counter()
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        source = virtual_session(Path(temporary))
        for number, person in enumerate(identities(n)):
            with tempfile.TemporaryDirectory() as place:
                code, left = judged(person, source, Path(place), report=number % 40 == 0, page=number % 10 == 0)
            bad = bool(left) or code not in (0, 3)
            for where in (*person.places, "all"):
                counts[where, "n"] += 1
                counts[where, "bad"] += bad
            if bad:
                failed.append(f"- identity {number} ({', '.join(person.places)}; {person.form}): exit {code}, {', '.join(left)}")
            _write(counts, failed)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
