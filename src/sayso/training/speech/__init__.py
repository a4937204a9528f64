"""Synthetic voices, and the fit of the recogniser's confidence."""
