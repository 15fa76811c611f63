import json

from quality.coverage.python import main, package_of, rows_of


def told(lines, ran, branches, taken):
    return {
        "summary": {
            "num_statements": lines,
            "covered_lines": ran,
            "num_branches": branches,
            "covered_branches": taken,
        }
    }


REPORT = {
    "files": {
        "hdl/knotwork/topology/base.py": told(10, 9, 4, 1),
        "hdl/knotwork/topology/mesh.py": told(10, 10, 0, 0),
        "sim/knotwork_sim/load.py": told(5, 0, 0, 0),
    }
}


def test_files_are_added_by_package():
    assert package_of("hdl/knotwork/main.py") == "knotwork"
    assert rows_of(REPORT) == [
        ("knotwork.topology", "95.0 % of 20", "25.0 % of 4"),
        ("knotwork_sim", "0.0 % of 5", "-"),
        ("all", "76.0 % of 25", "25.0 % of 4"),
    ]


def test_the_table_is_of_a_report(tmp_path, capsys):
    file = tmp_path / "python.json"
    file.write_text(json.dumps(REPORT))
    main(file)
    assert "knotwork.topology" in capsys.readouterr().out
