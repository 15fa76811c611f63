import numpy as np
import pytest
from knotwork.errors import ConfigurationError
from knotwork_sim.traffic.files import RateMatrix


def written(folder, text):
    file = folder / "rates.csv"
    file.write_text(text)
    return file


@pytest.mark.parametrize("text", ["0,1\n3,0\n", "0 1\n\n3\t0", "# rates\n0, 1 # row 0\n3e0 ,0\n"])
def test_rows_are_separated_by_commas_or_spaces(tmp_path, text):
    assert RateMatrix.read(written(tmp_path, text)).rates.tolist() == [[0, 1], [3, 0]]


def test_weights_are_the_rows_and_shares_the_places_in_them():
    matrix = RateMatrix.of([[0, 3, 0], [1, 1, 2], [0, 0, 0]])
    assert matrix.weights.tolist() == pytest.approx([9 / 7, 12 / 7, 0])
    assert matrix.shares.tolist() == [[0, 1, 0], [0.25, 0.25, 0.5], [0, 0, 0]]


def test_its_text_tells_its_content(tmp_path):
    one, other = RateMatrix.of([[1, 2], [3, 4]]), RateMatrix.of([[1, 2], [3, 5]])
    assert str(one).startswith("2 x 2 (sha256 ")
    assert str(one) != str(other)
    assert str(RateMatrix.read(written(tmp_path, "1 2\n3 4"))).startswith("rates.csv (sha256 ")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a matrix must be square, not 0 rows of 0 rates"),
        ("1 2\n3 4\n5 6\n", "a matrix must be square, not 3 rows of 2 rates"),
        ("1 2\n\n3\n", "line 3 must have 2 rates, not 1"),
        ("1 2\n3 x\n", "line 2: a rate must be a number of at least 0, not 'x'"),
        ("1 1_0\n3 4\n", "line 1: a rate must be a number of at least 0, not '1_0'"),
        ("1,,2\n3,,4\n", "line 1: a rate must be a number of at least 0, not ''"),
        ("1 -2\n3 4\n", "line 1: a rate must be a number of at least 0, not '-2'"),
        ("1 nan\n3 4\n", "line 1: a rate must be a number of at least 0, not 'nan'"),
        ("1 2\n3 inf\n", "line 2: a rate must be a number of at least 0, not 'inf'"),
        ("0 0\n0 0\n", "rates must be finite numbers of at least 0, not all of them 0"),
        (
            "1e308 1e308\n1e308 1e308\n",
            "rates must be finite numbers of at least 0, not all of them 0",
        ),
    ],
)
def test_what_is_no_matrix_of_rates_is_refused(refused, tmp_path, text, complaint):
    assert refused(lambda: RateMatrix.read(written(tmp_path, text))) == f"rates.csv: {complaint}"


@pytest.mark.parametrize(
    ("rates", "complaint"),
    [
        ([[1, 2]], "a matrix must be square, not of shape (1, 2)"),
        ([[1, 2], [3]], "a matrix must be numbers in rows"),
        ([[0, -1], [1, 0]], "rates must be finite numbers of at least 0, not all of them 0"),
        (np.full((2, 2), np.nan), "rates must be finite numbers of at least 0, not all of them 0"),
    ],
)
def test_what_a_program_gives_is_checked_too(refused, rates, complaint):
    assert refused(lambda: RateMatrix.of(rates)) == f"traffic: {complaint}"


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match=r"^[^\n]*none: must be a readable matrix"):
        RateMatrix.of(tmp_path / "none")
