"""Permutations and other messages, and the schedules that carry them out.

`messages` reads and draws what is to be delivered, and `schedule` is the interface of routings that
deliver it in rounds. `linear_complement` has the tables of permutations that are routed in batches,
and the batches of other messages. `rounds` finds rounds of circuits for the least-common-ancestor
networks, and `minimum` the fewest. `on_line` measures how long messages take without a schedule.
"""
