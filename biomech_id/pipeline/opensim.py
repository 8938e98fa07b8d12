"""The hand-over to OpenSim: analyse a subject, and write everything OpenSim needs to take over."""

from __future__ import annotations

from pathlib import Path

from biomech_id.exports.opensim.folder import write_opensim
from biomech_id.exports.opensim.joints import KneeSign
from biomech_id.files.atomic import keep_private, whole_folder
from biomech_id.pipeline.analyse import analyse_named
from biomech_id.pipeline.run import Outcome
from biomech_id.privacy.last_scan import last_scan
from biomech_id.request.job import Job
from biomech_id.request.subject_file import subject_toml
from biomech_id.session.folder.read_write import check_replaceable, list_outputs
from biomech_id.session.session import Session
from biomech_id.session.values.step import Progress

#: Names the files of a hand-over, so that nobody else's are replaced along with them: OpenSim's own results may lie beside.
LISTING = "hand-over.json"


def hand_over(
    job: Job, out: Path, *, knee: KneeSign = "flexion", analog: bool = False, progress: Progress | None = None
) -> Outcome:
    """Analyse one subject and write the files of OpenSim.

    Parameters
    ----------
    job : Job
        What is asked for, as for `pipeline.run.run_job`.
    out : Path
        Folder to write, replaced as a whole.
    knee : KneeSign, optional
        Which way the knee's angle and moment count.
    analog : bool, optional
        Also write the plates at their own rate.
    progress : Progress | None, optional
        Told of every step; None for nobody.

    Raises
    ------
    BiomechError
        Nothing could be analysed, or nothing could be written; ``out`` is then as it was.
    """
    check_replaceable(out, listing=LISTING)
    session, pseudonym = analyse_named(job, progress=progress)
    with whole_folder(out) as folder:
        notes = write_opensim(session, folder, knee=knee, analog=analog)
        # What OpenSim's files cannot hold, so that the folder can be read back as it is.
        (folder / "subject.toml").write_text(_subject(session), encoding="utf-8", newline="\n")
        list_outputs(folder, LISTING)
        if job.code:
            last_scan(folder, words=pseudonym.words)
        if job.recipe.owner_only:
            keep_private(folder)
    complaints = [f"{failure.file}: {failure.sentence}" for failure in session.failures]
    n = len(notes)
    return Outcome(f"{out}: {n} trial{'s' * (n != 1)} handed over to OpenSim", tuple(complaints), n)


def _subject(session: Session) -> str:
    subject = session.person.with_values("calibration", foot_flat=session.calibration_record.get("foot_flat"))
    return subject_toml(subject, condition=session.movements[0].condition)
