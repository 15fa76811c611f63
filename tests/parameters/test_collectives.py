"""Keys of collectives: how groups and operations are written, and what follows from others."""

import re

import pytest
from helpers.operations import Average
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.network import join_name
from knotwork.parameters import IDENTIFIER, ROUTER_PARAMETERS, CircuitParameters
from knotwork.parameters.collectives import NodeGroups, Operations

GROUPS, OPERATIONS = NodeGroups(8), Operations(16)

END = st.integers(0, 99).map(str) | st.sampled_from(["@0.0", "@1_2", "@01"])
SPAN = st.tuples(END, END).map("-".join) | END
GROUP = st.just("all") | st.lists(SPAN, min_size=1, max_size=3).map(",".join)


@given(st.lists(GROUP, min_size=1, max_size=8))
def test_groups_are_read_as_they_are_shown(groups):
    value = GROUPS.read("/".join(groups))
    assert value == tuple(groups)
    assert GROUPS.accepts(value)
    assert GROUPS.read(GROUPS.display(value)) == GROUPS.read(groups) == value


def test_groups_of_a_file_may_be_lists_and_numbers():
    assert GROUPS.read(["all", "0-7,12", [1, 2, "@3"], 4]) == ("all", "0-7,12", "1,2,@3", "4")
    assert GROUPS.read(4) == ("4",)
    assert GROUPS.read(" 1, 2 / all ") == ("1,2", "all")


@pytest.mark.parametrize(
    "text",
    ["", "/", "0/", "all,1", "0-", "-1", "0--1", "0-1-2", "a", "@", "1;2", "/".join("123456789")],
)
def test_what_is_no_list_of_groups_is_refused(text):
    line = (
        "circuit switch: groups must be 1 to 8 groups separated by /, each all, or nodes and "
        f"ranges A-B by number or @label separated by commas, not {text!r}"
    )
    with pytest.raises(ConfigurationError, match=f"^{re.escape(line)}$"):
        CircuitParameters.from_texts({"collectives": "yes", "groups": text})


@given(st.lists(st.sampled_from(Operations.words), min_size=1, unique=True))
def test_operations_are_read_as_they_are_shown(names):
    value = OPERATIONS.read(names)
    assert value == tuple(names)
    assert OPERATIONS.read(OPERATIONS.display(value)) == value


@pytest.mark.parametrize("text", ["", "sum,", "sum,sum", "product", "user", "Sum"])
def test_what_is_no_list_of_operations_is_refused(text):
    rule = (
        "1 to 16 different ones of sum, min, max, signed_min, signed_max, and, or, xor, or "
        "user:NAME of a plugin, separated by commas"
    )
    line = f"circuit switch: operations must be {rule}, not {text!r}"
    with pytest.raises(ConfigurationError, match=f"^{re.escape(line)}"):
        CircuitParameters.from_texts({"collectives": "yes", "operations": text})


def test_operations_of_a_user_are_classes_by_name_or_as_they_are(monkeypatch):
    monkeypatch.setattr("knotwork.operations._KNOWN", {"average": Average})
    for written in ("sum, user:average", ["sum", "user:average"], ("sum", Average)):
        value = OPERATIONS.read(written)
        assert value == ("sum", Average)
        assert OPERATIONS.display(value) == "sum,user:average"
        assert OPERATIONS.name_part(value) == "sum,average"
    assert OPERATIONS.read(Average) == (Average,)
    with pytest.raises(ValueError, match="average"):
        OPERATIONS.read("user:average,user:average")


@pytest.mark.parametrize(
    ("known", "word", "line"),
    [
        (
            {},
            "user:a\nb",
            "operations: an operation of your own must be defined by a plugin, --plugin FILE.py, "
            "not be 'user:a\\nb'",
        ),
        (
            {"average": Average},
            "user:averag",
            "operations: an operation of your own must be one of user:average, not 'user:averag'; "
            "did you mean user:average?",
        ),
    ],
)
def test_an_operation_that_no_plugin_defines_is_refused(monkeypatch, known, word, line):
    monkeypatch.setattr("knotwork.operations._KNOWN", known)
    with pytest.raises(ConfigurationError) as refusal:
        CircuitParameters.from_texts({"collectives": "yes", "operations": word})
    assert str(refusal.value) == line


def test_an_operation_may_not_have_the_name_of_another_one():
    named = type("Sum", (Average,), {"name": "sum"})
    with pytest.raises(ConfigurationError) as refusal:
        CircuitParameters(collectives=True, operations=(named,))
    assert str(refusal.value) == (
        "user:sum: an operation's name must not be that of another one, as sum"
    )


@given(st.lists(GROUP, min_size=1, max_size=2), st.lists(GROUP, min_size=1, max_size=2))
def test_different_groups_have_different_names_that_are_identifiers(one, other):
    names = [
        join_name("mesh", [], {"groups": GROUPS.name_part(tuple(groups))})
        for groups in (one, other)
    ]
    assert all(map(IDENTIFIER.accepts, names))
    assert (names[0] == names[1]) == (one == other)


@pytest.mark.parametrize("kind", ROUTER_PARAMETERS.values(), ids=ROUTER_PARAMETERS)
def test_what_is_not_named_follows_from_the_width(kind):
    made = kind(collectives=True, data_width=24).resolve(1)
    assert (made.collective_width, made.element_width) == (24, 8)
    assert (made.groups, made.operations) == (("all",), ("sum",))
    assert kind(collectives=True).resolve(1).element_width == 32
    assert kind(collectives=True, collective_width=48).resolve(1).element_width == 16
    assert kind(collectives=True, collective_width=64, element_width=64).resolve(1).element_width
    assert kind().resolve(1).as_dict().keys() == kind().as_dict().keys()


@pytest.mark.parametrize(
    ("words", "line"),
    {
        "groups=all": "groups must be used with collectives=yes, not alone as all",
        "operations=min,or": "operations must be used with collectives=yes, not alone as min,or",
        "collective_width=64": "collective_width must be used with collectives=yes, not alone as "
        "64",
        "collective_watchdog=9": "collective_watchdog must be used with collectives=yes, not alone "
        "as 9",
        "collectives=yes collective_watchdog=-1": "collective_watchdog must be an integer in "
        "0..4294967295, not -1",
        "element_width=8": "element_width must be used with collectives=yes, not alone as 8",
        "collectives=yes data_width=33": "collective_width must be a multiple of 8, the bits of an "
        "element, not 33",
        "collectives=yes element_width=64": "element_width must divide collective_width, 32, not "
        "be 64",
        "collectives=yes element_width=12": "element_width must be one of 8, 16, 32, 64, not '12'",
    }.items(),
)
def test_what_does_not_fit_is_refused_in_one_line(words, line):
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words(["mesh", "x=2", "y=2", *words.split()])
    assert str(refusal.value) == f"packet router: {line}"


def test_the_value_of_a_list_has_no_digest_where_an_identifier_can_say_it():
    network = Network.from_word("mesh:x=4,y=2,collectives=yes,groups=all/0-3,5,operations=sum,or")
    assert network.name == "mesh_x4_y2_collectivesyes_groupsall_and_0to3_5_operationssum_or"
    assert network.parameters["groups"] == "all/0-3,5"
