"""Synthetic voices, and the fit of the confidence of the recogniser."""
