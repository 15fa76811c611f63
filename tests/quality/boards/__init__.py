"""`make boards`: bitstreams for every board, and the largest networks that each FPGA holds."""
