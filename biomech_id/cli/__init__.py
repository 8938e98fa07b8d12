"""The command line: ``biomech-id``.

Each command is a thin module: it turns words into values, calls one function of the library, and shows what came back.
Nothing heavy is imported before a command runs.
"""

from biomech_id.cli.app import main

__all__ = ["main"]
