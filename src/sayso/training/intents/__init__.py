"""Training and measuring of the intent heads."""
