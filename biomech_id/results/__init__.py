"""What an analysis yields: values, tables, quality, manifest, norms, and the folder they are written to."""

from biomech_id.results.atomic import check_writable, whole_file, whole_folder
from biomech_id.results.csv_text import write_csv
from biomech_id.results.difference import Difference, file_differences, folder_differences
from biomech_id.results.folder import check_replaceable, damaged_outputs, list_outputs, read_folder, update_output, write_folder
from biomech_id.results.json_text import read_json
from biomech_id.results.manifest import build_manifest, sha256_of
from biomech_id.results.norm import read_norm, write_norm
from biomech_id.results.norm_sessions import norm_from_sessions
from biomech_id.results.quality import RULES, Grade, QualityRow, graded
from biomech_id.results.session import Failure, SessionResult, TrialResult
from biomech_id.results.study import session_folders, write_study
from biomech_id.results.tables import SessionTables
from biomech_id.results.unfinished import clear_unfinished
from biomech_id.results.verdicts import write_verdicts

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
