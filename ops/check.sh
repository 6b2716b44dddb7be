#!/usr/bin/env bash
# check.sh BIN: every check that is no test, with the tools in the folder BIN. Runs all, then fails if one did.
set -uo pipefail

bin=$1
failed=()

run() {
    local name=$1
    shift
    printf '== %s\n' "$name"
    "$@" || failed+=("$name")
}

run "ruff check" "$bin/ruff" check
run "ruff format" "$bin/ruff" format --check
run "mypy" "$bin/mypy"
run "pyright" "$bin/pyright" --pythonpath "$bin/python"
run "docs/cli.md" "$bin/python" ops/cli_reference.py --check
run "layout" "$bin/pytest" -q tests/unit/test_layout.py

if [ ${#failed[@]} -gt 0 ]; then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
