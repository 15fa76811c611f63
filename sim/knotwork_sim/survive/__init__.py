"""Networks without some of their links and routers: whether packets still arrive, and how many."""
