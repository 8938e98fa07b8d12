"""The doctor: what is in a C3D file, and every problem found, each with a hint what to do.

`check_file` and `iter_check` never raise for a file's sake and never hang: files are read in a child process.
"""

from biomech_id.judgement.check.check import check_file, iter_check
from biomech_id.judgement.check.report import CheckReport

__all__ = ["CheckReport", "check_file", "iter_check"]
