"""Placeholder until the room below it has landed."""

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
