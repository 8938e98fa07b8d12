"""What an analysis yields: values, tables, quality, manifest, norms, and the folder they are written to."""
