import pytest
from knotwork.cli.options import split_words


@pytest.mark.parametrize(
    ("words", "net", "others"),
    [
        ("", "", ""),
        ("petersen", "petersen", ""),
        ("wk w=3 levels=2 @01 5", "wk w=3 levels=2", "@01 5"),
        ("my.toml 5 w=3", "my.toml", "5 w=3"),
    ],
)
def test_a_network_s_words_end_at_the_first_without_a_key(words, net, others):
    assert split_words(words.split()) == (net.split(), others.split())
