"""The tables of a study: every session as one, with the subject in front."""
