"""Studio: a local page on which one chooses a network, looks at it, sweeps it and takes its files.

`serve` opens the port and ends, `server` answers requests, `guard` lets only the studio's own page
ask. All work is done by other processes, which `desk` asks and ends in time: `helper` is such a
process. `requests` reads what a request names, `form` says what may be chosen, `answers` what the
page shows, and `sweeping` measures. The page's own scripts and styles are in ``page/``; the
scripts of the datasheet draw networks there.
"""
