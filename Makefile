# Each target creates .venv from requirements.lock if it is missing or outdated. Then it runs the command
# that README.md shows. You can set CORES and PYTHON: make CORES=8 paper
CORES ?= all
VENV := .venv
STAMP := $(VENV)/installed
PARALLEL := --numprocesses logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: demo quick test test-slow test-cluster paper verify verify-update bench docs stress lock clean

demo: $(STAMP)
	$(VENV)/bin/snakemake --cores $(CORES) --configfile workflow/config/demo.yaml
	$(call show,demo, --configfile workflow/config/demo.yaml)

# A first look at the real data (HETREC_DIR, or downloaded): fewer rounds, one seed, no verdict.
quick: $(STAMP)
	$(VENV)/bin/snakemake --cores $(CORES) --configfile workflow/config/quick.yaml
	$(call show,quick, --configfile workflow/config/quick.yaml)

paper: $(STAMP)
	$(VENV)/bin/snakemake --cores $(CORES)
	$(call show,paper)

# Print which files to open after the run $(1) with the options $(2).
define show
	@echo
	@echo "Figures:      figures/$(1)/*.png and *.pdf; figures/$(1)/regret.html shows all curves"
	@echo "$(if $(filter quick,$(1)),Preview:      results/$(1)/preview.html (no verdict),Verdict:      results/$(1)/verdict.html)"
	@echo "Numbers:      results/$(1)/summary/*.csv"
	@echo "One report:   $(VENV)/bin/snakemake$(2) --report report.html" \
		"--report-stylesheet workflow/report/report.css"
endef

# Tests of one file share what they make, so they stay together. The longest files come first.
test: $(STAMP)
	$(VENV)/bin/pytest $(PARALLEL) tests/workflow tests

test-slow: $(STAMP)
	$(VENV)/bin/pytest $(PARALLEL) -m slow tests/workflow tests

# Run the demonstration again, and compare its tables and figures with the stored checksums.
# verify-update stores the new checksums instead.
verify verify-update: $(STAMP)
	rm -rf build/verify
	$(VENV)/bin/snakemake --cores $(CORES) --configfile workflow/config/demo.yaml \
		--config output=build/verify
	$(VENV)/bin/horde verify build/verify $(if $(filter verify-update,$@),--update)

# Test the cluster profiles on a SLURM that the tests start and stop. Needs root.
test-cluster: $(STAMP)
	$(VENV)/bin/pytest -m cluster --durations=5 tests/cluster

# Measure seconds per round by solver on the real Last.fm graph (HETREC_DIR).
bench: $(STAMP)
	$(VENV)/bin/horde bench --dataset lastfm --policies G-EG,GOBLIN,G-TS --solvers cg,pcg,local \
		--rounds 5000 --csv build/bench.csv --to build

# Build the documentation site in build/docs, where warnings are errors, and check its links and its search.
docs: $(STAMP)
	rm -rf docs/api build/docs
	$(VENV)/bin/sphinx-build --quiet --fresh-env --nitpicky --fail-on-warning --keep-going \
		-d build/docs-cache -c docs . build/docs
	$(VENV)/bin/python docs/site/check.py build/docs
	@echo "The site: build/docs/index.html"

# Compare the picks of the local and the exact solver over 50,000 rounds of the real data (HETREC_DIR).
stress: $(STAMP)
	$(VENV)/bin/pytest -m stress

# .venv is made again if its Python is gone, or if it was made in another folder: then it has the
# package of that folder.
MADE_FOR := $(shell $(VENV)/bin/python -c 'print(open("$(STAMP)").read(), end="")' 2>/dev/null)
ifneq "$(MADE_FOR)" "$(CURDIR)"
$(STAMP): anew
endif
.PHONY: anew

# A recipe that fails half-way leaves no stamp behind.
$(STAMP): requirements.lock pyproject.toml
	@set -e; python=$$(.ci/python); \
	echo "Making $(VENV) with $$($$python -V) from requirements.lock:" \
		"$$(grep -c == requirements.lock) packages, a few minutes"; \
	rm -f $(STAMP); \
	$$python -m venv --clear $(VENV); \
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock; \
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation -e .; \
	printf %s "$(CURDIR)" >$(STAMP)

# Lock the same versions for every supported Python and system, with hashes, without host names. Needs uv.
lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
		--extra workflow --extra dev --extra docs --output-file requirements.lock pyproject.toml
	python3 .ci/environments.py

# Remove results, figures and caches. Keep downloaded data and .venv.
clean:
	rm -rf results .snakemake build docs/api .pytest_cache .ruff_cache .hypothesis
	find figures -mindepth 1 -maxdepth 1 -type d -exec rm -rf {} +
