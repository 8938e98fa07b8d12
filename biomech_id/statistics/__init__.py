"""Statistics for one person: bands that hold a whole curve, one number against a norm, one recording against another."""
