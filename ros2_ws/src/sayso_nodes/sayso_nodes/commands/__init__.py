"""The subcommands of `sayso` that talk to a running graph or start one."""
