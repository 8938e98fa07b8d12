"""The local web application for a gait laboratory's day: what came in, what it lacks, run, look, decide, sign.

In: an archive of recordings, which is read only. Out: a folder of its own beside it, where all that people decide and all that the
command line makes of it lies as files. Every click is a command line that gives the same bytes by hand; this room computes nothing.

`archive` walks folders, `record` keeps what somebody decided on a visit, `command` writes the command line, `look` reads what the
doctor says, `jobs` runs commands, `results` takes over what they wrote, `versions` signs, `office` joins them, `rows` and `signing`
say what a page shows, and `web` serves it to a browser on this machine alone. A newcomer adds a cure in `look` and in
``page/cures.js``, and a route in ``web/routes.py``.
"""
