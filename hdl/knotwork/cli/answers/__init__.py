"""Answers of the verbs, by the verb's name: the record that ``--json`` prints, and its tables."""
