"""Verbs of the simulator, one module each: arguments, options, help, and the order of what is done.

Modules here import click and how commands answer at their head, and everything else in the function
that carries out the verb.
"""
