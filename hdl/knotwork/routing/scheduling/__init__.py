"""Permutations and other messages, and the schedules that carry them out.

`permutations` and `messages` read and draw what is to be delivered. `linear_complement` has the
tables of permutations that are routed in batches, `linear_cover` the batches of other messages,
and `naive` shows which permutations need no table, and where the others collide.
`rounds` finds rounds of circuits for the least-common-ancestor networks, with `slots` and
`splitting`; `replay` checks them on the links. `on_line` measures, and `expectation` computes, how
long messages take without a schedule.
"""
