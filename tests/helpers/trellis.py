"""A chip of a few tiles, in the form of Project Trellis's database."""


class FakeDatabase:
    """Two slices' tiles, a tap, and a pad whose input is the only global clock."""

    die = "25K_"
    globals = {
        "quadrants": {"UL": {"x0": 0, "y0": 0, "x1": 9, "y1": 9}},
        "taps": {"C2": {"lx0": 0, "lx1": 1, "rx0": 2, "rx1": 9}},
        "spines": {"UL2": {"x": 1, "y": 1}},
    }

    def tiles(self):
        yield from ((3, 4, "PLC2"), (5, 4, "PLC2"), (1, 1, "SPINE"), (0, 9, "PIC"))

    def connections(self, kind):
        return {
            "PLC2": (
                [("A0_SLICE", "A0"), ("B0_SLICE", "B0"), ("Q0", "Q0_SLICE"), ("M0_SLICE", "M0")],
                [("F0", "F0_SLICE")],
            ),
            "SPINE": ([("G_VPTX0000", "G_HPRX0000"), ("G_ULPCLK0", "25K_G_JPCLKT0")], []),
            "PIC": ([("G_JPCLKT0", "JPADDIA_PIO"), ("PADDOB_PIO", "PADDOB")], []),
        }[kind]
