from knotwork.wording import counted


def test_one_thing_is_singular():
    assert [counted(number, "hop") for number in (0, 1, 2)] == ["0 hops", "1 hop", "2 hops"]
