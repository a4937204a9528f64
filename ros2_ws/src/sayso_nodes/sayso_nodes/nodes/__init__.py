"""The nodes of the graph, a module each with its class and `main`, and the parts that one node is made of."""
