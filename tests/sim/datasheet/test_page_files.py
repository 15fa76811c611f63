from knotwork_sim.datasheet.page_files import SCRIPTS, page_file


def test_scripts_are_all_there_and_the_one_that_starts_is_last():
    assert len(set(SCRIPTS)) == len(SCRIPTS)
    assert all(page_file(f"scripts/{name}.js").startswith("// ") for name in SCRIPTS)
    assert page_file(f"scripts/{SCRIPTS[-1]}.js").endswith("\nstart();\n")
