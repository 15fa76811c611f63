from quality.unchanged.record import comparable, questions, read


def test_times_and_help_are_left_out_wherever_they_stand():
    answer = {
        "nodes": 4,
        "seconds": 1.0,
        "help": "words",
        "points": [{"seconds": 2.0, "hops": [1, 2]}],
    }
    assert comparable(answer) == {"nodes": 4, "points": [{"hops": [1, 2]}]}


def test_an_output_that_is_no_json_is_a_text():
    assert read('{"nodes": 4, "seconds": 2}') == {"nodes": 4}
    assert read("4 nodes") == "4 nodes"


def test_every_verb_that_answers_is_asked():
    asked = questions(["mesh", "x=3", "y=3"], 9, "model")
    assert {line[0] for line in asked.values()} == {
        *("describe", "route", "check", "schedule", "multicast", "broadcast"),
        *("simulate", "sweep"),
    }
    assert asked["sweep"][1] == "mesh:x=3,y=3"
    assert questions(["petersen"], 10, "both")["sweep"][1] == "petersen"
    assert asked["route"] == ["route", "mesh", "x=3", "y=3", "0", "8"]
