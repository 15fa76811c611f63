"""Properties and the lemmas that they rest on."""

from knotwork.formal.property import Property, with_lemmas


def named(name, *lemmas):
    return Property(name=name, text=name, claim=lambda harness: None, lemmas=lemmas)


def test_a_property_comes_once_and_after_its_lemmas():
    ground = named("ground")
    left, right = named("left", ground), named("right", ground)
    top = named("top", left, right)
    names = [one.name for one in with_lemmas([top, right, ground])]
    assert names == ["ground", "left", "right", "top"]


def test_properties_without_lemmas_keep_their_order():
    names = [one.name for one in with_lemmas([named("b"), named("a")])]
    assert names == ["b", "a"]
