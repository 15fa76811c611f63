import pytest
from knotwork.errors import ConfigurationError
from knotwork_sim.sweep.results import Results


@pytest.fixture
def file(tmp_path):
    return tmp_path / "folder" / "points"


def write(file, digest="abc", **results):
    kept = Results(file, digest)
    for key, result in results.items():
        kept.add(key, result)
    kept.close()


def read(file, digest="abc"):
    kept = Results(file, digest)
    found = dict(kept.items())
    kept.close()
    return found


def test_results_are_there_again(file):
    write(file, a={"x": 0.1}, b=[1, None])
    write(file, c=True)
    assert read(file) == {"a": {"x": 0.1}, "b": [1, None], "c": True}


def test_a_result_is_on_disk_at_once(file):
    kept = Results(file, "abc")
    kept.add("a", 1)
    assert '"a"' in file.read_text()
    kept.close()


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_torn_line_is_ignored_and_overwritten(file, cut):
    write(file, a=1, b=2)
    file.write_bytes(file.read_bytes()[:-cut])
    assert read(file) == {"a": 1}
    write(file, b=3)
    assert read(file) == {"a": 1, "b": 3}


def test_a_torn_head_is_a_new_file(file):
    write(file)
    file.write_bytes(file.read_bytes()[:9])
    assert read(file, "other") == {}


def test_without_a_file_results_are_kept_in_memory_as_a_file_would_give_them():
    kept = Results(None, "abc")
    kept.add("a", (1, 2))
    assert dict(kept.items()) == {"a": [1, 2]}
    assert "a" in kept
    assert len(kept) == 1
    kept.close()


def test_another_sweeps_results_are_refused_and_stay(file):
    write(file, a=1)
    before = file.read_bytes()
    with pytest.raises(ConfigurationError) as error:
        Results(file, "other")
    assert str(error.value) == (
        f"{file}: the results must be those of this sweep, not of another; remove the file or "
        f"name another with --results"
    )
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["offered,accepted\n", "[]\n", '{"a": 1}\n', "1\n", "\xff\n", "my notes", "x"]
)
def test_what_holds_no_results_is_refused_and_stays(file, text):
    file.parent.mkdir()
    file.write_text(text, encoding="latin-1")
    with pytest.raises(ConfigurationError) as error:
        Results(file, "abc")
    assert str(error.value) == (
        f"{file}: the results must be those of a sweep; remove the file or name another"
    )
    assert file.read_text(encoding="latin-1") == text


@pytest.mark.parametrize(("old", "new"), [("0.25", "0.75"), ('"rate"', '"Rate"'), ('"b"', '"c"')])
def test_a_line_that_was_changed_is_refused(file, old, new):
    write(file, a=1, b={"rate": 0.25})
    assert read(file) == {"a": 1, "b": {"rate": 0.25}}
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(ConfigurationError, match="the results must be those of a sweep; remove"):
        Results(file, "abc")


def test_two_sweeps_do_not_share_a_file(file):
    kept = Results(file, "abc")
    with pytest.raises(ConfigurationError) as error:
        Results(file, "abc")
    assert str(error.value) == (
        f"{file}: the results must be written by one sweep, not by two at the same time"
    )
    kept.close()


def test_a_folder_in_the_way_is_told(tmp_path):
    with pytest.raises(ConfigurationError, match="the file must be writable: Is a directory"):
        Results(tmp_path, "abc")
