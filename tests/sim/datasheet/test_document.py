import json
import re

import pytest
from knotwork import Network
from knotwork_sim.datasheet.document import script_safe, write_datasheet
from knotwork_sim.datasheet.page_files import SCRIPTS, page_file

COMMAND = "knotwork datasheet </script> -o x.html"


def written():
    words = ["hypercube n=2", "ring n=3"]
    networks = [Network.from_words(word.split()) for word in words]
    return write_datasheet(networks, words, command=COMMAND)


@pytest.fixture(scope="module")
def page():
    return written()


def test_the_page_has_all_of_itself_within_and_is_the_same_again(page):
    assert not re.search(r"""(?:src|href)="(?!data:)""", page)
    assert "http" not in re.sub(r"http://www\.w3\.org/\w+/svg|http-equiv", "", page)
    assert "default-src 'none'" in page
    assert "{{" not in page
    for name in SCRIPTS:
        assert page_file(f"scripts/{name}.js") in page
    assert page == written()


def test_the_data_ends_no_script(page):
    text = re.search(r'<script type="application/json" id="datasheet">(.*?)</script>', page, re.S)
    data = json.loads(text[1])
    assert data["command"] == COMMAND
    assert [one["head"]["name"] for one in data["networks"]] == ["hypercube_n2", "ring_n3"]
    assert data["compare"]["columns"][0] == "fact"
    hostile = "</script><!--\u2028&"
    assert "<" not in script_safe(json.dumps(hostile))
    assert json.loads(script_safe(json.dumps(hostile))) == hostile
