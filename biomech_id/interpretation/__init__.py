"""What curves say by rules: patterns, what could make them without being there, what changed, and what could not be said."""
