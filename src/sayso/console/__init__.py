"""What people see: each stage as it happens (`stages`), the commands of the terminal, and the report of a run."""
