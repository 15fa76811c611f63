"""Bytecode of all that the verbs import, which set-up compiles."""

from knotwork.cli.bytecode import _imported_later


def test_what_functions_import_is_found(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(
        "import os\n"
        "from .near import one\n"
        "def draw():\n"
        "    import rich.table as table\n"
        "    from llvmlite import binding\n"
        "    from .far import two\n"
    )
    assert _imported_later(file) == {"rich.table", "llvmlite", "llvmlite.binding"}
