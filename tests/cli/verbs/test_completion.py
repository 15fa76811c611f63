"""Verb completion: what it refuses; tests/cli/test_shells.py has what it prints."""


def test_an_unknown_shell_is_refused(refusal):
    assert refusal("completion Bash") == (
        "completion: shell must be one of bash, zsh, fish, not 'Bash'; did you mean bash?"
    )
