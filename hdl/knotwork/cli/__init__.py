"""The ``knotwork`` command: its verbs, and how they answer.

`verbs` holds one module per verb: its arguments, options and help. ``--help`` and shell completion
import all of them, so each defers heavy imports until its verb runs. `answers` holds, under the
same names, what the verbs compute: the record that ``--json`` prints, and its tables. `output`
prints both.
"""
