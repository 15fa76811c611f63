"""Traffic: which node sends which packet to which node, and when; the same for every engine.

`keys` are the parameters that users write, `patterns` says which node sends to which, `arrivals`
when, and `files` reads what a user lists or measured. `make` gives the packets of a run, of the
form that `packets` defines; `replies` adds what answers them. `endpoints` are the nodes that offer
and take beats, cycle by cycle. `jump_tables` are the configuration of a batch network.
"""
