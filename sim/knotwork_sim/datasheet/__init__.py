"""Datasheets: networks as one page that needs no other file and sends no request.

`document` makes the page, with its header and the network that runs there. `tables` are what
commands answer: facts, costs, ports, and latency under load. `pictures` are its drawing and what is
carried out in steps, `routes` the paths of its packets. The page's own scripts and styles are in
``page/``.
"""
