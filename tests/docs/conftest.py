from helpers.chromium import chromium

__all__ = ["chromium"]
