"""Rows of a routing table: as text, as numbers, and bound to a topology."""

import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knotwork import Lcan, Mesh, Moebius, Network
from knotwork.errors import ConfigurationError, DeadlockError
from knotwork.portable import packed, unpacked, user_code_digest
from knotwork.routing.table_file import ANY, RouteFile, Table, bind_table, export_table, row_numbers

Row = tuple[int, int, str, int]

# The cycle 0-1-3-2 of a mesh of 2 x 2, router = 2 y + x; ports L, R, U, D. Every packet goes
# clockwise (right, down, left, up), so all wait for each other.
CLOCKWISE = "router,destination,port,vc\n" + "".join(
    f"{router},{destination},{port},0\n"
    for router, port in ((0, "R"), (1, "D"), (3, "L"), (2, "U"))
    for destination in range(4)
    if destination != router
)


def columns_first(x: int, y: int) -> Iterator[Row]:
    """Rows of a mesh: along the column first, then along the row."""
    for router in range(x * y):
        for destination in range(x * y):
            (to_y, to_x), (at_y, at_x) = divmod(destination, x), divmod(router, x)
            if at_y != to_y:
                yield router, destination, "D" if to_y > at_y else "U", 0
            elif at_x != to_x:
                yield router, destination, "R" if to_x > at_x else "L", 0


def test_a_file_and_rows_of_python_are_the_same_table(tmp_path):
    path = tmp_path / "ways.csv"
    path.write_text("Router, destination, PORT, vc\n@00, 1, R, 0\n\n1,0, L,1\n")
    read = RouteFile.read(path)
    given = RouteFile.of([("@00", 1, "R", 0), (1, 0, "L", 1, None, "")])
    assert read.columns == given.columns
    assert read.digest == given.digest
    assert (read.name, list(read.lines), len(read)) == ("ways.csv", [2, 4], 2)
    assert (str(read), str(given)) == (
        f"ways.csv (sha256 {read.digest[:12]})",
        f"2 rows (sha256 {read.digest[:12]})",
    )
    assert (read.where(1), given.where(1)) == ("ways.csv: line 4", "table_file: row 1")


def test_another_row_makes_another_digest():
    digests = {RouteFile.of([(0, 1, port, 0)]).digest for port in ("L", "R", "U")}
    assert len(digests) == 3


def test_what_is_written_is_read_again(tmp_path):
    made = RouteFile.of([(0, 1, "R", 0), (1, 0, "L", 1, "local", 0)])
    assert made.text() == (
        "router,destination,port,vc,input,input_vc\n0,1,R,0,,\n1,0,L,1,local,0\n"
    )
    (tmp_path / "again.csv").write_text(made.text())
    assert RouteFile.read(tmp_path / "again.csv").columns == made.columns


@pytest.mark.parametrize("row", [(0, 1, "R"), "0123", 7, (0, 1, "R", 0, "L")])
def test_what_is_no_row_is_refused(refused, row):
    assert refused(lambda: RouteFile.of([(0, 1, "R", 0), row])) == (
        "table_file: row 1 must be (router, destination, port, vc), and may end with input, "
        f"input_vc, not {row!r}"
    )


def test_indices_labels_and_names_are_the_same_numbers():
    # 4-Moebius cube: label 0110 is node 6, and ports are local, dim0, dim1, ...
    rows = [("@0110", "@0010", "dim2", 1, "dim0", 0), (6, 2, 3, "1", 1, "")]
    numbers = row_numbers(RouteFile.of(rows), Moebius(n=4, twist=0))
    assert {name: column.tolist() for name, column in numbers.items()} == {
        "router": [6, 6],
        "destination": [2, 2],
        "port": [3, 3],
        "vc": [1, 1],
        "input": [1, 1],
        "input_vc": [0, ANY],
    }


PORTS = "one of local, L, R, U, D or an index in 0..4"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((6, 1, "R", 0), "router must be an index in 0..5 or a label @0.0..@1.2, not '6'"),
        (("@9", 1, "R", 0), "router must be an index in 0..5 or a label @0.0..@1.2, not '@9'"),
        ((0, "", "R", 0), "destination must be an index in 0..5 or a label @0.0..@1.2, not ''"),
        ((0, "9" * 30, "R", 0), "destination must be an index"),
        ((0, 1, "east", 0), f"port must be {PORTS}, not 'east'"),
        ((0, 1, 5, 0), f"port must be {PORTS}, not '5'"),
        ((0, 1, "", 0), f"port must be {PORTS}, not ''"),
        ((0, 1, "R", 8), "vc must be an integer in 0..7, not '8'"),
        ((0, 1, "R", -1), "vc must be an integer in 0..7, not '-1'"),
        ((0, 1, "R", "\u0663"), "vc must be an integer in 0..7, not '\u0663'"),
        ((0, 1, "R", 0, "east", ""), f"input must be {PORTS}, or empty, not 'east'"),
        ((0, 1, "R", 0, "", "x"), "input_vc must be an integer in 0..7, or empty, not 'x'"),
    ],
)
def test_a_field_that_names_nothing_is_refused_with_its_row(refused, row, words):
    assert refused(
        lambda: row_numbers(RouteFile.of([(0, 1, "R", 0), row]), Mesh(x=3, y=2))
    ).startswith(f"table_file: row 1: {words}")


MESH = Mesh(x=3, y=2)
ROWS = list(columns_first(3, 2))


def bound(rows):
    return bind_table(RouteFile.of(rows), MESH)


def test_each_pair_has_its_row_in_any_order():
    table = bound(ROWS[::-1])
    assert table.classes == 1
    assert not table.depends_on_input
    assert table.entries.shape == (6, 1, 1, 6)
    ports = {"L": 1, "R": 2, "U": 3, "D": 4}
    for router, destination, port, vc in ROWS:
        assert table.entries[router, 0, 0, destination] == 8 * ports[port] + vc
    assert (np.diagonal(table.entries[:, 0, 0, :]) == 0).all()  # to the node
    assert (bound([*ROWS, (4, 4, "local", 0)]).entries == table.entries).all()


def test_a_row_that_names_more_of_its_input_counts_there():
    # from 0 to 5: right where any packet comes, but down for one from the node, and by class 1
    # for one that comes by D in class 1; L and D of router 0 are ports 1 and 4.
    more = [(0, 5, "D", 0, "local", ""), (0, 5, "R", 1, "D", 1), (0, 5, "R", 2, "", 1)]
    rows = [row for row in ROWS if row[:2] != (0, 5)]
    table = bound([more[1], *rows, more[0], (0, 5, "R", 0), more[2]])
    assert table.classes == 3
    assert table.depends_on_input
    entries = table.entries[0, :, :, 5]
    assert entries.shape == (5, 3)
    assert entries[0].tolist() == [8 * 4] * 3
    assert entries[4].tolist() == [8 * 2, 8 * 2 + 1, 8 * 2]
    assert entries[2].tolist() == [8 * 2, 8 * 2 + 2, 8 * 2]


def test_a_pair_without_a_row_is_named(refused):
    rows = [row for row in ROWS if row[:2] not in {(2, 4), (5, 0)}]
    assert refused(lambda: bound(rows)) == (
        "table_file: a row must say where router 2 (@0.2) sends packets to 4 (@1.1), not be "
        "missing; 2 pairs without a row"
    )


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((0, 5, "L", 0, "U", 0), "port must have a link at router 0, not 'L'"),
        ((0, 5, "local", 0, "U", 0), "port must lead on to router 5, not 'local'"),
        ((3, 3, "R", 0), "port must be local, to the router's own node, not 'R'"),
        ((1, 5, "D", 0), "router 1, destination 5 must be named once, not as in row 9 too"),
    ],
)
def test_a_row_that_cannot_be_is_refused_with_its_place(refused, row, words):
    assert ROWS[9][:2] == (1, 5)
    assert refused(lambda: bound([*ROWS, row])) == f"table_file: row {len(ROWS)}: {words}"


def test_the_line_of_a_file_is_named(refused, tmp_path):
    path = tmp_path / "ways.csv"
    path.write_text("port,vc,router,destination\nR,0,0,1\n\nU,0,0,2\n")
    assert (
        refused(lambda: bind_table(RouteFile.read(path), MESH))
        == "ways.csv: line 4: port must have a link at router 0, not 'U'"
    )


def test_a_table_that_is_too_large_is_refused(refused):
    large = Mesh(x=1024, y=16)
    rows = [(0, 1, "R", 0, "local", 0), (0, 2, "R", 1, "local", 1)]
    assert refused(lambda: bind_table(RouteFile.of(rows), large)) == (
        "table_file: routers x inputs x destinations must be at most 268435456 in a table, not "
        "16384 x 5 x 2 x 16384"
    )


TABLE_ROWS = list(columns_first(3, 3))


def by_table(rows, topology=None, **keys):
    table = rows if isinstance(rows, RouteFile) else RouteFile.of(rows)
    return Network(topology or Mesh(x=3, y=3), routing="table", table_file=table, **keys)


def without(rows, *pairs):
    return [row for row in rows if row[:2] not in pairs]


def test_packets_go_as_the_rows_say():
    network = by_table(TABLE_ROWS)
    assert network.routing.path(0, 5) == [0, 3, 4, 5]
    assert network.routing.path(8, 0) == [8, 5, 2, 1, 0]
    assert network.deadlock_report.deadlock_free
    assert network.virtual_channels == 1
    assert network.routing.walk_lengths().sum() == 9 * 8 * 2  # the mean distance is 2


def test_classes_are_those_of_the_table_and_lanes_copy_them():
    lanes = by_table(TABLE_ROWS, virtual_channels=2).routing
    assert {hop.virtual_channel for d in range(1, 9) for hop in lanes.hops(0, d)} == {0, 1}
    late = [(r, d, port, int(port in "LR")) for r, d, port, _ in TABLE_ROWS]
    network = by_table(late)
    assert network.virtual_channels == 2
    assert [hop.virtual_channel for hop in network.routing.hops(0, 5)] == [0, 1, 1, 0]
    one = by_table(late, virtual_channels=1)
    assert [hop.virtual_channel for hop in one.routing.hops(0, 5)] == [0, 0, 0, 0]


def test_a_network_of_a_table_is_made_again_without_the_file(tmp_path):
    path = tmp_path / "ways.csv"
    path.write_text(RouteFile.of(TABLE_ROWS).text())
    network = Network(Mesh(x=3, y=3), routing="table", table_file=path)
    path.unlink()
    again = unpacked(packed(network))
    assert again.routing.path(0, 5) == [0, 3, 4, 5]
    digest = network.routing.options.table_file.digest
    assert again.name == network.name == f"mesh_x3_y3_table_table_file{digest[:8]}"
    assert network.changed(data_width=8).routing.path(0, 5) == [0, 3, 4, 5]
    assert network.parameters["table_file"] == str(again.routing.options.table_file)


def test_what_is_kept_of_a_table_is_for_that_table():
    network = pickle.loads(pickle.dumps(by_table(TABLE_ROWS)))
    assert (network.routing.first_hops() == by_table(TABLE_ROWS).routing.first_hops()).all()
    other = [*without(TABLE_ROWS, (0, 4)), (0, 4, "R", 0)]
    digests = {user_code_digest(by_table(rows)) for rows in (TABLE_ROWS, other)}
    assert len(digests) == 2
    assert "" not in digests
    assert user_code_digest(Network(Mesh(x=3, y=3))) == ""


def test_a_table_that_waits_in_a_ring_is_refused_with_the_ring(tmp_path):
    path = tmp_path / "ring.csv"
    path.write_text(CLOCKWISE)
    network = Network(Mesh(x=2, y=2), routing="table", table_file=path, name="ring")
    with pytest.raises(DeadlockError) as refused:
        network.require_deadlock_free()
    line = str(refused.value)
    assert "\n" not in line
    start, _, ring = line.rpartition(": ")
    assert start.startswith("ring: routing=table must be free of deadlock")
    links = ["0.0->0.1 vc0", "0.1->1.1 vc0", "1.1->1.0 vc0", "1.0->0.0 vc0"]
    assert sorted(ring.split(", ")) == sorted(links)
    allowed = Network(Mesh(x=2, y=2), routing="table", table_file=path, allow_deadlock="yes")
    allowed.require_deadlock_free()


def test_a_table_that_goes_round_is_refused_with_the_pair(refused):
    rows = [*without(TABLE_ROWS, (1, 2)), (1, 2, "L", 0)]
    assert refused(lambda: by_table(rows).routing.path(0, 2)).startswith(
        "mesh: routing=table must bring a packet from 0 to 2, not round in a loop by port "
    )


def test_a_row_that_is_missing_for_an_input_is_named(refused):
    rows = [*without(TABLE_ROWS, (1, 2)), (1, 2, "R", 0, "local", "")]
    assert refused(by_table(rows).routing.require_sound) in [
        "mesh: routing=table: a row must say where router 1 (@0.1) sends packets to 2 (@0.2) that "
        f"come by input {port}, input_vc 0, not be missing"
        for port in "LD"
    ]
    sound = by_table([*rows, (1, 2, "R", 0, "L", 0), (1, 2, "R", 0, "D", "")])
    assert sound.routing.path(0, 2) == [0, 1, 2]


def test_a_topology_of_the_users_own_takes_a_table_as_its_only_routing():
    from helpers.ring import Ring

    class Bare(Ring):
        routings = ()

    rows = [(r, d, 1, 0) for r in range(5) for d in range(5) if r != d]  # always by port 1
    network = by_table(rows, Bare(nodes=5))
    ahead = Bare(nodes=5).neighbours[:, 1]
    assert network.routing.path(1, int(ahead[ahead[1]])) == [1, ahead[1], ahead[ahead[1]]]


def test_a_table_must_be_given_and_goes_with_its_routing(refused):
    routing = by_table(TABLE_ROWS).routing
    assert not Table(routing.topology, options=routing.options).is_trusted
    assert refused(lambda: Network(Mesh(x=3, y=3), routing="table")) == (
        "routing: table_file must be given: a CSV file with the columns router,destination,port,vc"
    )
    with pytest.raises(ConfigurationError, match=r"table_file goes with routing=table$"):
        Network.from_texts("mesh", {"x": "3", "y": "3", "table_file": "ways.csv"})
    with pytest.raises(ConfigurationError, match="router must be one of packet with routing=table"):
        by_table(TABLE_ROWS, router="deflection")
    with pytest.raises(ConfigurationError, match="must be one of updown, scheduled, not"):
        by_table(TABLE_ROWS, Lcan(d=2, u=1, levels=2))


FIELDS = st.sampled_from(["0", "1", "3", "8", "9", "@0.0", "@2.2", "L", "R", "local", "", "-1"])


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.integers(0, len(TABLE_ROWS) - 1), st.integers(0, 3), FIELDS),
        max_size=3,
    ),
    st.lists(st.integers(0, len(TABLE_ROWS) - 1), max_size=1),
)
def test_any_table_brings_every_packet_to_its_node_or_is_refused_in_one_line(changes, dropped):
    rows = [list(row) for row in TABLE_ROWS]
    for place, column, field in changes:
        rows[place][column] = field
    rows = [row for place, row in enumerate(rows) if place not in dropped]
    try:
        network = by_table(rows)
        hops = network.routing.first_hops()
    except ConfigurationError as refused:
        assert "\n" not in str(refused)
        return
    here = np.broadcast_to(np.arange(9)[:, None], (9, 9)).copy()
    for _ in range(9):
        away = here != np.arange(9)
        here = np.where(away, hops[here, np.arange(9)[None, :]], here)
    assert (here == np.arange(9)).all()


WORDS = [
    *("mesh x=3 y=2", "mesh x=3 y=2 nodes_per_router=2", "torus x=4 y=3", "hypercube n=3"),
    *("moebius n=4 twist=1", "moebius n=4 routing=spr", "ccc n=3", "tcpg k=1 m=1", "rp k=3"),
    *("wk w=3 levels=3", "wk w=3 levels=3 routing=shortest"),
]


@pytest.mark.parametrize("words", WORDS)
def test_a_table_takes_every_packet_the_same_way(words):
    network = Network.from_words(words.split())
    again = Network(network.topology, routing="table", table_file=export_table(network.routing))
    nodes = range(network.topology.nodes)
    assert all(
        again.routing.hops(source, destination) == network.routing.hops(source, destination)
        for source in nodes
        for destination in nodes
    )
    assert again.deadlock_report.deadlock_free


def test_rows_name_an_input_only_where_the_rule_depends_on_it():
    # A hypercube of two dimensions, e-cube: the higher dimension first.
    plain = export_table(Network.from_words(["hypercube", "n=2"]).routing)
    assert plain.text().splitlines()[:4] == [
        "router,destination,port,vc",
        "0,1,dim0,0",
        "0,2,dim1,0",
        "0,3,dim1,0",
    ]
    assert len(plain) == 4 * 3
    # In WK-recursive networks a packet is in class 1 from its top crossing on.
    late = export_table(Network.from_words(["wk", "w=3", "levels=3"]).routing)
    assert late.text().startswith("router,destination,port,vc,input_vc\n")


@pytest.mark.parametrize(
    ("words", "virtual_channels"),
    # Section 6 of the specification on Möbius cubes: one per hop of the diameter.
    [
        *(("moebius n=3 routing=set_spr", 2), ("moebius n=4 twist=1 routing=rsa", 3)),
        pytest.param("moebius n=5 routing=rsa", 4, marks=pytest.mark.slow),
    ],
)
def test_a_routing_of_the_source_is_a_table_with_a_virtual_channel_per_hop(words, virtual_channels):
    network = Network.from_words(words.split())
    again = Network(network.topology, routing="table", table_file=export_table(network.routing))
    assert (again.routing.first_hops() == network.routing.first_hops()).all()
    assert (again.routing.walk_lengths() == network.routing.walk_lengths()).all()
    assert again.virtual_channels == virtual_channels
    assert again.deadlock_report.deadlock_free
    assert not network.deadlock_report.deadlock_free
    for source, destination in np.ndindex(network.routing.first_hops().shape):
        channels = [hop.virtual_channel for hop in again.routing.hops(source, destination)[:-1]]
        assert channels == list(range(len(channels)))[::-1]


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("hypercube n=3 routing=lc1", "have a rule by destination X, not none"),
        ("lcan d=2 u=1 levels=2", "have a rule by destination X, not none"),
        (
            "moebius n=4 routing=spr vc_scheme=escape",
            "give each packet one path X, not an escape class as well",
        ),
        ("moebius n=4 multicast=yes", "inject packets in class 0 X, not in 0, 1, 2, 3"),
        (
            "mesh x=64 y=64",
            "have at most 8388608 states (router, input port, class, destination) X, not 83886080",
        ),
    ],
)
def test_a_routing_that_no_table_tells_is_refused(words, rule):
    network = Network.from_words(words.split())
    with pytest.raises(ConfigurationError) as refused:
        export_table(network.routing)
    name = f"{network.topology.name}: routing={network.routing.name}"
    assert str(refused.value) == f"{name} must {rule}".replace("X", "to be written as a table")
