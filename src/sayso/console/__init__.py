"""The user interface: each stage as it happens (`stages`), the subcommands, and the report of a run."""
