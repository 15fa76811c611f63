# Types of the names that __init__.py imports when they are first used.
from ..scoreboard import Mismatch as Mismatch
from ..scoreboard import Scoreboard as Scoreboard
from ..soc_testbench.system_testbench import SystemTestbench as SystemTestbench
from .checker import Arrival as Arrival
from .manifest import Manifest as Manifest
from .network_testbench import NetworkTestbench as NetworkTestbench
from .runner import run_tests as run_tests
from .scheduled import rounds as rounds
from .scheduled import table_entries as table_entries
from .upsets import upset as upset
