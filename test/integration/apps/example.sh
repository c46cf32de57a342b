#!/usr/bin/env bash
# example.sh PROGRAM EXPECTED: the example succeeds against the embedded server and prints exactly what the file says.
set -euo pipefail
output=$("$1")
diff "$2" <(printf '%s\n' "$output")
