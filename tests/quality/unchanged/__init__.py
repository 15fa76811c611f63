"""Whether the product is what it was at an earlier revision: `make unchanged BASE=REVISION`.

`networks` lists what is asked about, `trees` checks a revision out, `record` runs in each of the
two trees and notes files and answers, and `__main__` compares them.
"""
