import threading
import time

import pytest
from knotwork.builds.beside import Abandoned, beside
from knotwork.builds.compilation import run_process


def test_work_goes_on_beside_and_its_failure_is_its_result():
    here = threading.get_ident()
    with beside(lambda _: threading.get_ident()) as work:
        assert work.result() != here

    def fail(_):
        raise ValueError("wrong")

    with beside(fail) as work, pytest.raises(ValueError, match="wrong"):
        work.result()


def test_a_program_ends_with_the_context_that_is_left_by_an_exception():
    began, kept = time.monotonic(), []
    with pytest.raises(KeyboardInterrupt):  # noqa: SIM117 - in this order
        with beside(lambda check: run_process(["sleep", "60"], while_running=check)) as work:
            kept.append(work)
            time.sleep(0.1)
            raise KeyboardInterrupt
    assert time.monotonic() - began < 30
    assert isinstance(kept[0].exception(), Abandoned)
