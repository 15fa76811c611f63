"""Comparison of networks: latency over load, and network cycles over size.

`load` measures points under rising load (`point`) in processes or on a cluster (`workers`), keeps
them (`results`) and answers with records (`load_result`) beside what theory expects
(`channel_load`, `zero_load`). `growth` measures how permutations slow down as networks grow.
`load_plots` and `growth_plots` draw both.
"""
