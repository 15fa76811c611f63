"""The ``knotwork`` command: its verbs, and how they answer.

`verbs` holds one module per verb: what it takes and what its help says. They import nothing heavy
until they are carried out, for ``--help`` and shell completion import all of them. `answers` holds,
under the same names, what the verbs compute: the record that ``--json`` prints, and its tables.
`output` prints both.
"""
