from hypothesis import settings

# The machine that runs the tests may be busy: time is pytest-timeout's business.
settings.register_profile("knotwork", deadline=None)
settings.load_profile("knotwork")
