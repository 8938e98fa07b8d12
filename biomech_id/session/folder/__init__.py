"""The folder OUT of one session: written whole or not at all, read back, compared, and described by its manifest."""
