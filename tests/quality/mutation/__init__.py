"""Mutants of the generated Verilog, and what finds them: simulation, proofs, equivalence."""
