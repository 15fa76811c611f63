"""The emitted Verilog itself as a WebAssembly module, which runs in a web page.

`module` makes one: `design` says how the harness reaches the network's ports, `patterns` where its
sources send, and `webassembly` has Yosys (CXXRTL) and Zig's C++ compiler build it. `harness.cpp` is
what surrounds the network, `runtime.h` all that it needs of a C++ library. `live.js` runs a module
in a page.
"""
