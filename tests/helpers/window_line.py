"""Lines of the self-test, as they should be."""


def line(name, window, verdict, *, sent, received, **errors):
    """Line of a window, with its end; errors that are not named are 0."""
    counts = dict.fromkeys(("lost", "duplicated", "corrupted", "misrouted", "refused"), 0) | errors
    words = " ".join(f"{key}={value}" for key, value in counts.items())
    return f"{name} window={window} sent={sent} received={received} {words} {verdict}\r\n"
