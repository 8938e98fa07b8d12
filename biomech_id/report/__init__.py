"""Report: reads results only; pages, curves, PDF. The only room that imports matplotlib."""

from biomech_id.report.compare import compare_report
from biomech_id.report.pdf import draw_report
from biomech_id.report.session_differences import session_differences

__all__ = ["compare_report", "draw_report", "session_differences"]
