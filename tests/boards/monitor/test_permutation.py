import json

import pytest
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork_boards.monitor.permutation import permutation_commands
from knotwork_boards.selftest.batch.table_words import permutation_words


def test_a_network_without_batches_has_no_table(tmp_path):
    with pytest.raises(ConfigurationError) as refused:
        permutation_commands(Network.from_word("hypercube:n=2"), tmp_path / "t.json")
    assert str(refused.value) == (
        "hypercube_n2: a table must be one of routing=lc1 or lc2, not ecube"
    )


def test_a_file_that_holds_no_permutation_is_refused(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(json.dumps([0, 0, 1, 2]))
    network = Network.from_word("hypercube:n=2,routing=lc1")
    with pytest.raises(ConfigurationError, match=r"t\.json: "):
        permutation_commands(network, file)


def test_a_permutation_is_loaded_word_by_word(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(json.dumps([3, 2, 1, 0]))
    network = Network.from_word("hypercube:n=2,routing=lc1")
    *words, end = permutation_commands(network, file).decode().splitlines()
    assert end == "t"
    assert [int(word[1:], 16) for word in words] == permutation_words(network, [3, 2, 1, 0])
    assert {word[0] for word in words} == {"t"}
