"""Messages for RViz and Foxglove: common types, made from Sayso's own by plain functions, without nodes and topics."""
