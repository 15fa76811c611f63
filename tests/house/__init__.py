"""The house's rules, each a function over sources; `test_house.py` applies them to the project.

Here beside each file of rules is a test that breaks them on purpose.
"""
