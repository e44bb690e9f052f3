#!/usr/bin/env bash
# Gradescope runs this once, when the image is built: an environment of its own beside source/, with the course in it.
# Only here is a network used. pip's own settings hold (PIP_EXTRA_INDEX_URL for torch without CUDA, say).
set -euo pipefail

source_folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
environment="$(dirname "$source_folder")/venv"

new_enough() {
    command -v "$1" > /dev/null && "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2> /dev/null
}

find_python() {
    local name
    for name in python3.13 python3.12 python3.11 python3; do
        if new_enough "$name"; then
            echo "$name"
            return
        fi
    done
    return 1
}

if [ ! -x "$environment/bin/python" ]; then
    if ! python="$(find_python)"; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get update || true
        apt-get install -y python3.13 python3.13-venv || apt-get install -y python3.12 python3.12-venv \
            || apt-get install -y python3.11 python3.11-venv || true
        python="$(find_python)" || {
            echo "Python 3.11 or newer with venv is needed, and could not be installed. Choose a newer base image." >&2
            exit 1
        }
    fi
    "$python" -m venv "$environment"
fi
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check "$source_folder"

# It can hold the held-out seed.
chmod 600 "$source_folder/assignment.json"
# What is wrong with the assignment is found now, not by a student.
"$environment/bin/python" -I -m grader.export.autograding --check "$(dirname "$source_folder")"
