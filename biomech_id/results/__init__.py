"""What an analysis yields: values, tables, quality, manifest, norms, and the folder they are written to."""

from biomech_id.files.atomic import check_writable, whole_file, whole_folder
from biomech_id.files.json_text import read_json
from biomech_id.files.unfinished import clear_unfinished
from biomech_id.results.folder.difference import Difference, file_differences, folder_differences
from biomech_id.results.folder.manifest import build_manifest, sha256_of
from biomech_id.results.folder.read_write import (
    check_replaceable,
    damaged_outputs,
    list_outputs,
    read_folder,
    update_output,
    write_folder,
)
from biomech_id.results.norms.from_sessions import norm_from_sessions
from biomech_id.results.norms.norm import read_norm, write_norm
from biomech_id.results.session.quality import RULES, Grade, QualityRow, graded
from biomech_id.results.session.result import SessionResult
from biomech_id.results.session.values import Failure, TrialResult
from biomech_id.results.study.tables import session_folders, write_study
from biomech_id.results.study.verdicts import write_verdicts
from biomech_id.results.tables.csv_text import write_csv
from biomech_id.results.tables.session_tables import SessionTables

__all__ = [
    "RULES",
    "Difference",
    "Failure",
    "Grade",
    "QualityRow",
    "SessionResult",
    "SessionTables",
    "TrialResult",
    "build_manifest",
    "check_replaceable",
    "check_writable",
    "clear_unfinished",
    "damaged_outputs",
    "file_differences",
    "folder_differences",
    "graded",
    "list_outputs",
    "norm_from_sessions",
    "read_folder",
    "read_json",
    "read_norm",
    "session_folders",
    "sha256_of",
    "update_output",
    "whole_file",
    "whole_folder",
    "write_csv",
    "write_folder",
    "write_norm",
    "write_study",
    "write_verdicts",
]
