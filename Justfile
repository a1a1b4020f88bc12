# The recipes of everyday work: `just` lists them. Each is one or two plain commands; nobody needs just to work here.

# The layers that are pure: no I/O, no clock, no service, so nothing excuses a line without a test.
pure := "*/kakehashi/puzzle/*,*/kakehashi/formats/*,*/kakehashi/render/*,*/kakehashi/solver/*"

[private]
default:
    @just --list --unsorted

# Make or refresh the environment in .venv
setup:
    uv sync

# The tests that every change must pass
test *arguments:
    uv run pytest {{arguments}}

# The tests that take long
test-slow *arguments:
    uv run pytest -m "slow and not fault" --timeout 900 {{arguments}}

# The tests that kill processes and take services away
test-fault *arguments:
    uv run pytest -m fault --timeout 900 {{arguments}}

# Every fault of the fault suite, and a table of what was lost, doubled or wrong
faults *arguments:
    uv run python -m tests.faults {{arguments}}

# A fleet under random faults for half an hour (`--minutes`); with `--report LOG...`, docs/reliability.md
soak-faults *arguments:
    uv run --group benchmarks python -m tests.faults.soak {{arguments}}

# The compiled parts compiled anew, and a failure is one (otherwise the package would be pure Python without a word)
native:
    KAKEHASHI_NATIVE=required uv sync --reinstall-package kakehashi

# The tests of the compiled parts over a build with assertions and both sanitizers
native-debug *arguments:
    .ci/native-debug {{arguments}}

# The native engine against an exhaustive search, on boards that libFuzzer makes (needs clang)
fuzz seconds="600" *arguments:
    .ci/fuzz {{seconds}} {{arguments}}

# 100,000 small boards, each engine against an exhaustive search
soak *arguments:
    uv run python -m scripts.soak {{arguments}}

# Every reader over damaged files for half an hour (`--seconds`): no exception, no hang, no more memory than allowed
fuzz-formats *arguments:
    uv run python -m scripts.fuzz_formats {{arguments}}

# Style
lint:
    uv run ruff check
    uv run ruff format --check

# Mend what style can mend
format:
    uv run ruff check --fix
    uv run ruff format

# Types
types:
    uv run mypy

# Each layer imports only what stands below it
layers:
    uv run lint-imports

# Lines that tests reach: a report of all, then the bar of 95 % for the pure layers
coverage:
    uv run pytest --cov --cov-report=
    uv run coverage report
    uv run coverage report --include "{{pure}}" --fail-under 95

# What the pipeline costs beside a bare process pool
bench *arguments:
    uv run python benchmarks/pipeline.py {{arguments}}

# Our engines beside other solvers, on a folder of puzzles or a set that is made (`made:ones1000`)
compare *arguments:
    uv run --group benchmarks python -m benchmarks.compare {{arguments}}

# All measurements of docs/performance.md: an hour, on a machine that does nothing else
performance data *arguments:
    uv run --group benchmarks python -m benchmarks.plan {{data}} {{arguments}}

# Tables and plots of measurements, into docs/
report *arguments:
    uv run --group benchmarks python -m benchmarks.report {{arguments}}

# How well budgets are kept: 2,000 attempts in processes, and some through `kakehashi run`, some twenty minutes
budgets *arguments:
    uv run --group benchmarks python -m benchmarks.budgets {{arguments}}

# Where the time of a solve goes, stage by stage: a folder of puzzles
stages folder="examples" *arguments:
    uv run python benchmarks/stages.py {{folder}} {{arguments}}

# Where a fleet saturates, simulated from measured costs (docs/scale/costs.json): tables and a plot into docs/scale
fleet-simulation *arguments:
    uv run --group benchmarks python -m benchmarks.fleet {{arguments}}

# The simulation beside workers on this machine
fleet-check *arguments:
    uv run --group benchmarks python -m benchmarks.fleet_check {{arguments}}

# What an export of a million rows takes, in time and memory
bench-export *arguments:
    uv run python benchmarks/export.py {{arguments}}

# 200,000 puzzles through submit, workers and results, on both databases, beside a bare process pool
load *arguments:
    uv run python -m benchmarks.load {{arguments}}

# Every look at a million rows, and how long others wait for a cancel and a rerun, on both databases
million *arguments:
    uv run python -m benchmarks.million {{arguments}}

# How fast each format is written and read, beside solving the same puzzles
bench-formats *arguments:
    uv run python -m benchmarks.formats {{arguments}}

# Resolve every dependency afresh and write the exact versions into pyproject.toml
pin:
    uv run --no-project python scripts/pin.py
    uv sync

# Known vulnerabilities of the pinned versions, where the advisory service answers; secrets in files
audit:
    uv run --no-project python scripts/pin.py --show > .venv/pins.txt
    uv run --no-project python scripts/audit.py .venv/pins.txt
    .ci/secrets

# What has to hold before a change lands, on a clean machine too
ci:
    .ci/run
