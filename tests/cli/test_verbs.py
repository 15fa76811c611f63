"""Verbs: their help and examples; files of draw, export and generate; words of completion."""

import shlex

import click
import pytest
from helpers.pages import Command
from knotwork import Network
from knotwork.cli import main
from knotwork.cli.command import NetworkArgument, Verb
from knotwork.drawing.graph_files import anynet, edges, graphml
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.topology import TOPOLOGIES
from knotwork_sim.sweep.swept_keys import sweep_keys
from knotwork_sim.traffic.keys import Traffic

CONTEXT = click.Context(main.cli, info_name="knotwork")
VERBS = {name: main.cli.get_command(CONTEXT, name) for name in main.cli.list_commands(CONTEXT)}
EXAMPLES = [(name, line) for name, verb in VERBS.items() for line in verb.examples]
WIDTH = 80


def is_slow(line):
    """Whether an example builds a simulator, proves or makes a bitstream."""
    return Command(["knotwork", *shlex.split(line)], "").is_slow and "--engine model" not in line


def screen(verb, option, capsys):
    assert main.run([verb, option]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_examples_and_what_is_written(verb, capsys):
    made = VERBS[verb]
    assert isinstance(made, Verb)
    assert len(made.examples) >= 3
    assert all(line.split()[0] == verb for line in made.examples)
    shown = screen(verb, "--help", capsys)
    assert shown == screen(verb, "-h", capsys)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert {"Options:", "Examples:", "Writes:"} <= set(lines)
    for line in made.examples:
        assert f"  knotwork {line}" in lines


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_with_networks_tells_keys_and_where_the_others_are(verb, capsys):
    has_networks = any(isinstance(each, NetworkArgument) for each in VERBS[verb].params)
    lines = screen(verb, "--help", capsys).splitlines()
    assert ("Networks:" in lines) == has_networks
    if not has_networks:
        return
    text = " ".join(" ".join(lines).split())
    assert "`knotwork networks NAME`" in text
    assert f"Names: {', '.join(TOPOLOGIES)}." in text
    for key, field in ROUTER_PARAMETERS["packet"].keys().items():
        assert f"{key}= {field.metadata['help']}; {field.metadata['kind'].rule}" in text
    assert "data_width= payload bits per flit; an integer in 8..512, default 32" in text


@pytest.mark.parametrize(("verb", "keys"), [("simulate", Traffic.keys), ("sweep", sweep_keys)])
def test_help_of_a_verb_with_traffic_tells_its_keys(verb, keys, capsys):
    text = " ".join(screen(verb, "--help", capsys).partition("\nTraffic:\n")[2].split())
    for key, field in keys().items():
        assert f"{key}= {field.metadata['help']}; {field.metadata['kind'].rule}" in text


def play(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    (folder / "sent.csv").write_text("0,7\n4,3\n")  # messages of an example of `check`
    assert main.run(shlex.split(line)) == 0
    out, err = capsys.readouterr()
    assert out
    assert err == ""


@pytest.mark.parametrize(("verb", "line"), [each for each in EXAMPLES if not is_slow(each[1])])
def test_examples_run(verb, line, tmp_path, monkeypatch, capsys, in_threads):
    if verb in ("monitor", "studio"):  # there is no board here, and nobody ends the page
        VERBS[verb].make_context(verb, shlex.split(line)[1:])
        return
    play(line, tmp_path, monkeypatch, capsys)


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "line"), [each for each in EXAMPLES if is_slow(each[1])])
def test_long_examples_run(verb, line, tmp_path, monkeypatch, capsys):
    del verb
    play(line, tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("verb", VERBS)
def test_choices_of_options_suggest_what_was_meant(verb):
    for option in VERBS[verb].params:
        assert type(option.type) is not click.Choice, f"{option.opts[0]}: use options.OneOf"


def test_an_unknown_shell_is_refused(refusal):
    assert refusal("completion Bash") == (
        "completion: shell must be one of bash, zsh, fish, not 'Bash'; did you mean bash?"
    )


@pytest.mark.usefixtures("cyclic")
def test_generate_refuses_a_network_that_can_deadlock(refusal, tmp_path):
    line = refusal(f"generate loop -o {tmp_path}/out")
    assert line.startswith("loop_nodes6_one_way: routing=one_way must be free of deadlock")
    assert not (tmp_path / "out").exists()


def test_generate_names_its_files_and_says_where_it_cannot_write(answer, run, refusal, tmp_path):
    folder = f"{tmp_path}/out"
    made = answer(f"generate moebius n=2 data_width=8 buffer_depth=2 -o {folder}")
    assert made["directory"] == folder
    assert made["files"] == [str(path) for path in made["files"] if path.startswith(folder)]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        path.rpartition("/")[2] for path in made["files"]
    )
    status, out, _ = run(f"generate moebius n=2 data_width=8 buffer_depth=2 -o {folder}")
    assert (status, out.splitlines()) == (0, made["files"])
    (tmp_path / "file").write_text("")
    line = refusal(f"generate moebius n=2 -o {tmp_path}/file")
    assert "must be writable" in line
    assert str(tmp_path / "file") in line


def test_generate_writes_a_file_per_module_and_their_list(answer, tmp_path):
    made = answer(f"generate hypercube n=1 --name noc --split -o {tmp_path}")
    names = [path.rpartition("/")[2] for path in made["files"]]
    verilog = [name for name in names if name.endswith(".v")]
    lines = (tmp_path / "noc.f").read_text().splitlines()
    assert [line for line in lines if not line.startswith("//")] == verilog
    assert verilog[-2:] == ["noc_router.v", "noc.v"]
    assert names[len(verilog) :][:2] == ["noc.f", "noc.vlt"]


def test_generate_writes_a_testbench_that_is_the_users_own(answer, tmp_path):
    made = answer(f"generate hypercube n=1 --name noc --testbench -o {tmp_path}")
    names = [path.rpartition("/")[2] for path in made["files"]]
    assert names[-3:] == ["test_noc.py", "run_noc.py", "Makefile"]
    (tmp_path / "Makefile").write_text("# mine")
    made = answer(f"generate hypercube n=1 --name noc --testbench -o {tmp_path}")
    assert len(made["files"]) == len(names) - 3
    assert (tmp_path / "Makefile").read_text() == "# mine"


def test_several_files_are_written_at_once(run, tmp_path):
    files = {name: tmp_path / name / "file" for name in ("anynet", "graphml", "edges")}
    words = " ".join(f"--{name} {file}" for name, file in files.items())
    assert run(f"export hypercube n=3 {words}") == (
        0,
        "".join(f"{f}\n" for f in files.values()),
        "",
    )
    network = Network.from_word("hypercube:n=3")
    assert files["anynet"].read_text() == anynet(network)
    assert files["graphml"].read_text() == graphml(network)
    assert files["edges"].read_text() == edges(network)


def test_nothing_is_written_where_one_cannot_be(refusal, tmp_path):
    line = f"export torus x=2 y=3 --edges {tmp_path / 'a'} --anynet {tmp_path / 'b'}"
    assert refusal(line).startswith("torus_x2_y3: --anynet must have")
    assert list(tmp_path.iterdir()) == []


def test_bad_input_is_one_line(refusal, tmp_path):
    assert refusal("export hypercube n=3") == (
        "export: a file must be named with --anynet, --graphml, --node-link or --edges"
    )
    file = tmp_path / "a"
    assert refusal(f"export hypercube n=3 --edges {file} --anynet {file}") == (
        "export: the files must have different names"
    )
    assert "n must be given" in refusal(f"export hypercube --edges {file}")


@pytest.mark.parametrize(
    ("words", "title"),
    {
        "moebius n=3 --route 1 @110": "route 001 to 110",
        "moebius n=3 --multicast 1 @110,0,@111": "multicast from 001 to 3 nodes",
        "moebius n=3 --multicast 1 0,6 --order address": "order=address",
        "moebius n=3 --tree @010": "routing tree from 010 to 7 nodes",
        "wk w=3 levels=2 --broadcast @21": "broadcast from 21 to 8 nodes",
        "lcan d=2 u=2 levels=3 --unfolded": "unfolded at level 2: 5 stages",
        "lcan d=2 u=2 levels=3 --unfolded --route 0 @010": "route 000 to 010: 4 of 5 stages",
    }.items(),
)
def test_draw_writes_a_file_and_names_it(answer, tmp_path, words, title):
    file = tmp_path / "deep" / "a.svg"
    assert answer(f"draw {words} -o {file}") == {"file": str(file)}
    assert title in file.read_text()


def test_pictures_are_called_as_their_network_and_are_of_their_suffix(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("draw moebius n=3") == (0, "build/moebius_n3_twist0.svg\n", "")
    assert (tmp_path / "build" / "moebius_n3_twist0.svg").read_text().startswith("<svg ")
    for kind, start in (("png", b"\x89PNG"), ("pdf", b"%PDF-")):
        file = tmp_path / f"a.{kind}"
        assert run(f"draw hypercube n=2 -o {file}") == (0, f"{file}\n", "")
        assert file.read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("words", "start"), [("", b"<svg "), ("--format png", b"\x89PNG"), ("--format pdf", b"%PDF-")]
)
def test_a_picture_goes_to_stdout(capfdbinary, tmp_path, monkeypatch, words, start):
    monkeypatch.chdir(tmp_path)
    assert main.run(f"draw hypercube n=2 -o - {words}".split()) == 0
    out, err = capfdbinary.readouterr()
    assert out.startswith(start)
    assert err == b""
    assert list(tmp_path.iterdir()) == []


def test_steps_of_a_schedule_go_into_one_file_or_into_one_each(answer, tmp_path):
    (tmp_path / "m.csv").write_text("0,3\n0,2\n3,1\n")
    line = f"draw lcan d=2 u=2 levels=2 --messages {tmp_path}/m.csv -o {tmp_path}/s.svg"
    assert answer(line) == {"file": f"{tmp_path}/s.svg"}
    whole = (tmp_path / "s.svg").read_text()
    assert "network cycle 1 of 2: 2 circuits" in whole
    assert "network cycle 2 of 2: 1 circuit<" in whole
    files = [f"{tmp_path}/s_1.svg", f"{tmp_path}/s_2.svg"]
    assert answer(f"{line} --frames") == {"networks": [{"file": file} for file in files]}
    assert answer(f"{line} --step 2") == {"file": f"{tmp_path}/s.svg"}
    assert (tmp_path / "s.svg").read_text() == (tmp_path / "s_2.svg").read_text()


def test_messages_without_a_schedule_are_paths_in_one_picture(answer, refusal, tmp_path):
    (tmp_path / "m.csv").write_text("0,7\n4,3\n")
    line = f"draw moebius n=3 --messages {tmp_path}/m.csv -o {tmp_path}/s.svg"
    assert answer(line) == {"file": f"{tmp_path}/s.svg"}
    assert "paths of 2 messages, routing=dfr" in (tmp_path / "s.svg").read_text()
    assert refusal(f"{line} --step 1") == (
        "draw: --step and --frames must be used with a network that has schedules, not moebius"
    )


@pytest.mark.parametrize(
    ("words", "complaint"),
    {
        "-o a.jpg": "FILE must be - or end in .svg, .png or .pdf, not 'a.jpg'",
        "-o - --json": "--json must not be used with -o -",
        "-o a.png --format png": "--format must be used with -o -; a file's suffix says it",
        "--route 0 1 --permutation random": "at most one of --route, --multicast, --broadcast, "
        "--tree, --collectives, --permutation and --messages must be given, not several",
        "--step 2": "--step and --frames must be used with --permutation or --messages",
        "--frames": "--step and --frames must be used with --permutation or --messages",
        "--permutation random --step 2 --frames": "--step must not be used with --frames",
        "--permutation random --frames -o -": "--frames must not be used with -o -",
    }.items(),
)
def test_options_that_do_not_go_together_are_refused(refusal, words, complaint):
    assert refusal(f"draw hypercube n=2 {words}") == f"draw: {complaint}"
