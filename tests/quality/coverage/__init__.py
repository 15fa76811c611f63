"""Coverage of the Python sources by the tests, and of the generated Verilog by traffic."""
