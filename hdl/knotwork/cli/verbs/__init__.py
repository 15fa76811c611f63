"""Verbs, one module each: arguments, options, help, and the order of what is done.

Modules here import click, `options`, `output` and `errors` at their head, and everything else in
the function that carries out the verb.
"""
