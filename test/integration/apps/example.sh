#!/usr/bin/env bash
# example.sh PROGRAM EXPECTED: the example succeeds against the embedded server and its output equals the file.
set -euo pipefail
output=$("$1")
diff "$2" <(printf '%s\n' "$output")
