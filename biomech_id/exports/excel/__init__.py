"""One session as a workbook."""
