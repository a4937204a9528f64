"""How long a test waits for what will happen: one generous limit, since a busy machine may take ten times as long."""

PATIENCE = 240.0  # s
