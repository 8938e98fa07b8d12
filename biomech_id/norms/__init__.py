"""Norms: what people without a gait disorder do, read, checked, and made from analysed sessions."""
