from helpers.emitted import lint


def test_lint_says_what_verilator_says(tmp_path):
    good, bad, waiver = (tmp_path / name for name in ("good.v", "bad.v", "bad.vlt"))
    good.write_text("module good (input a, output b);\n  assign b = a;\nendmodule\n")
    bad.write_text("module bad (input a, output b);\n  assign b = 0;\nendmodule\n")
    waiver.write_text('`verilator_config\nlint_off -rule UNUSEDSIGNAL -file "*bad.v"\n')
    assert lint(good, top="good") == ""
    assert "UNUSEDSIGNAL" in lint(bad, top="bad")
    assert "UNUSEDSIGNAL" not in lint(bad, waiver, top="bad")
