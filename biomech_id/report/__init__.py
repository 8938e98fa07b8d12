"""Report: reads results only; pages, curves, PDF. The only room that imports matplotlib."""

from biomech_id.report.compare import compare_report
from biomech_id.report.panels.session_differences import session_differences
from biomech_id.report.pdf import draw_report

__all__ = ["compare_report", "draw_report", "session_differences"]
