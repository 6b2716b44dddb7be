#!/usr/bin/env bash
# venv.sh FOLDER [PYTHON]: a virtual environment with a pip that knows dependency groups (25.1 or newer).
# The venv is made without pip, and the machine's own pip fills it: Debian's Python has no ensurepip.
set -euo pipefail

venv=$1
python=${2:-python3}

[ -x "$venv/bin/python" ] || "$python" -m venv --without-pip "$venv"
"$python" -m pip --python "$venv/bin/python" install --quiet --upgrade "pip>=25.1"
