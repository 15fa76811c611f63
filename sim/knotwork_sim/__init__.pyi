# Types of the names that __init__.py imports when they are first used.
from .check.from_python import simulate as simulate
from .sweep.from_python import sweep as sweep
from .sweep.from_python import write_sweep as write_sweep
