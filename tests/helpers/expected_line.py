"""The line that the self-test must write for a window."""


def expected_line(name, window, verdict, *, sent, received, **errors):
    """Line of a window with its line end; counters of errors that are not named are 0."""
    counts = dict.fromkeys(("lost", "duplicated", "corrupted", "misrouted", "refused"), 0) | errors
    words = " ".join(f"{key}={value}" for key, value in counts.items())
    return f"{name} window={window} sent={sent} received={received} {words} {verdict}\r\n"
