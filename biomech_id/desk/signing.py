"""Signing: why it is refused, what would be signed, and the button."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biomech_id.desk.archive import ArchiveVisit
from biomech_id.desk.look import sentences
from biomech_id.desk.office import Office
from biomech_id.desk.refusals import Refusal
from biomech_id.desk.results import is_whole
from biomech_id.desk.versions import Signature, flaws_of, is_readable, sign, signatures_of
from biomech_id.languages import Sentence

#: Roles that may sign.
SIGNING_ROLES = ("physician", "therapist", "engineer", "head")


def sign_refusals(office: Office, visit: ArchiveVisit) -> list[Refusal]:
    """Return why a visit's results cannot be signed now; nothing where they can.

    Parameters
    ----------
    office : Office
        The desk.
    visit : ArchiveVisit
        Of the archive.
    """
    results, refused = office.results(visit), list[Refusal]()
    if not results.there:
        return [Refusal.because("desk-no-results")]
    if office.is_run_under_way(visit):
        refused.append(Refusal.because("desk-runs-already", visit=visit.path))
    if not is_whole(results.folder):
        refused.append(Refusal.because("desk-outputs-changed"))
    elif "report.pdf" not in results.manifest["outputs"]:
        refused.append(Refusal.because("desk-no-report"))
    if results.inputs_differ(visit, office.hashes):
        refused.append(Refusal.because("desk-recordings-changed"))
    elif results.changed_since(visit, office.hashes):
        refused.append(Refusal.because("desk-decisions-newer"))
    folder = results.record.folder / "versions"
    left = str(len(signatures_of(folder)) + 1) if is_readable(folder) else ""
    # A folder that a crash left without an entry is removed by the next signature.
    flaws = (flaw for flaw in flaws_of(folder) if (flaw.rule, flaw.values.get("version")) != ("desk-version-unsigned", left))
    return [*refused, *map(_refused, flaws)]


def to_sign(office: Office, visit: ArchiveVisit, language: str = "en") -> dict[str, Any]:
    """Return what would be signed: every layer and trial with its grade and what limits it, and every refusal.

    Parameters
    ----------
    office : Office
        The desk.
    visit : ArchiveVisit
        Of the archive.
    language : str, optional
        One of `languages.LANGUAGES`.
    """
    results = office.results(visit)
    refused = [each.said.text(language) for each in sign_refusals(office, visit)]
    entries = signatures_of(results.record.folder / "versions")
    known = {
        "refusals": refused,
        "versions": [{**each.values, "code": each.code, "holds": each.computed == each.sha256} for each in entries],
        "flaws": [flaw.text(language) for flaw in flaws_of(results.record.folder / "versions")],
        "roles": SIGNING_ROLES,
    }
    if not results.there:
        return {**known, "layers": {}, "trials": [], "must_see": [], "findings": []}
    summary = results.summary
    layers = results.grades()
    trials = [{"name": each["name"], "verdict": each["verdict"]} for each in summary["trials"]]
    findings = [
        {"severity": each["severity"], "text": text, "where": each["where"]}
        for source in (summary, *summary["trials"])
        for each, text in _worded(source.get("findings", ()), language)
    ]
    return {**known, "layers": layers, "trials": trials, "findings": findings, "must_see": must_see(layers, trials)}


def sign_visit(office: Office, visit: ArchiveVisit, *, name: str, role: str, statement: str, seen: list[str]) -> Signature:
    """Sign a visit's results.

    Parameters
    ----------
    office : Office
        The desk.
    visit : ArchiveVisit
        Of the archive.
    name, role, statement : str
        Who, as what, and what that person says.
    seen : list[str]
        Layers and trials whose limits were ticked by name.

    Raises
    ------
    Refusal
        With every reason (409), or a signature without name, role or a tick (422).
    """
    office.may_write()
    if not name.strip() or role not in SIGNING_ROLES:
        raise Refusal.because("desk-sign-who", status=422)
    with office.guard:
        refused = sign_refusals(office, visit)
        if refused:
            raise Refusal.because(
                "desk-not-signed", more={"refusals": [str(each.said) for each in refused]}, why=[str(r) for r in refused]
            )
        results = office.results(visit)
        trials = [{"name": each["name"], "verdict": each["verdict"]} for each in results.summary["trials"]]
        missing = [each for each in must_see(results.grades(), trials) if each not in seen]
        if missing or "all" not in seen:
            raise Refusal.because("desk-sign-seen", status=422, names=missing)
        signature = sign(results.record.folder, name=name.strip(), role=role, statement=statement, seen=seen)
        results.record.note("sign", name, {"version": signature.values["version"], "code": signature.code})
    office.tell("visit", {"id": visit.id})
    return signature


def _refused(flaw: Sentence) -> Refusal:
    values: dict[str, Any] = dict(flaw.values)
    return Refusal.because(flaw.rule, **values)


def _worded(findings: Any, language: str) -> list[tuple[Mapping[str, Any], str]]:
    look = {"lacks": [], "said": [each for each in findings if each["severity"] != "info"]}
    return list(zip(look["said"], [sentences({**look, "said": [each]}, language)[0] for each in look["said"]], strict=True))


def must_see(layers: Mapping[str, str], trials: list[dict[str, Any]]) -> list[str]:
    """Return names of layers and trials that are not usable, each of which whoever signs ticks.

    Parameters
    ----------
    layers : Mapping[str, str]
        Layer -> grade.
    trials : list[dict[str, Any]]
        Name and verdict of each.
    """
    bad = [f"layer:{name}" for name, grade in layers.items() if grade == "reject"]
    return bad + [f"trial:{each['name']}" for each in trials if each["verdict"] == "reject"]
