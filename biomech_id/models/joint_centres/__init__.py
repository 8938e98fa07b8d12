"""Where joints turn: by regression, from anatomical points, by the chord, from movements made for it."""
