from .cost_guides import GUIDES, with_costs


def test_each_network_of_a_paper_has_a_guide_that_tells_costs():
    names = {"ccc", "lcan", "moebius", "tcpg", "wk"}
    assert {guide.stem for guide in GUIDES} == names


def test_old_costs_are_written_anew_and_nothing_else():
    for guide in GUIDES:
        text = guide.read_text(encoding="utf-8")
        begin = text.index("`", text.index("LUTeq of all"))
        row = text[begin : text.index("\n", begin)]
        old = row.rpartition(" |")[0].rpartition(" | ")[0] + " | 7 |"
        assert old != row
        assert with_costs(text.replace(row, old)) == text


def test_a_page_without_such_a_table_stays():
    text = "| a | b |\n|---|---|\n\nand so on\n"
    assert with_costs(text) == text
