"""Traffic: which node sends which packet to which node, and when; the same for every engine.

`keys` are the parameters that users write, and `patterns` says which node sends to which. `make`
gives the packets of a run: drawn at random (`drawn`), in batches (`batches`) or in the rounds of a
schedule (`schedules`). All three make `packets`, laid out by `packet_table`; `copies` says what
becomes of multicasts on their way. `endpoints` are the nodes that offer and take beats, cycle by
cycle. `jump_tables` are the configuration that a batch network is given.
"""
