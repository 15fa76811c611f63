"""Networks whose routers wait for `ready`, though others like them count credits."""


def waiting(**keys):
    """Keys of a network, with a monitor where credits would take over."""
    return keys | ({"counters": "yes"} if keys.get("pipeline") == 2 else {})
