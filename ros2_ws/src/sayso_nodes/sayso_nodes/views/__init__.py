"""What RViz and Foxglove can show: messages of the common types, made from Sayso's own. No node, no topic: each is a plain function."""
