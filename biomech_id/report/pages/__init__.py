"""The pages of a report, one module each."""
