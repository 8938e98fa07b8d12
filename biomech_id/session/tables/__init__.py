"""Tables of a session: their rows, their text, and the dictionary that explains every column."""
