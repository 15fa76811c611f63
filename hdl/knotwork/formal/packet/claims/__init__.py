"""Claims about a packet router: the properties that are proven, and how they depend on others.

`routes` holds turns to the routing's rule; `injection` and `streams` are about the node's and the
links' ports, `buffers` and the `branch_` modules about input channels, `grants` and `progress`
about outputs.
"""
