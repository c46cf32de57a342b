#!/usr/bin/env bash
# Runs a compiler or a linker, and writes its CPU seconds and what it made to $KUBECORO_COLD_LOG: a launcher of CMake.
out=
for ((i = 1; i < $#; i++)); do
    if [[ ${!i} == -o ]]; then
        next=$((i + 1))
        out=${!next}
    fi
done
TIMEFORMAT='%U %S'
exec 3>&2 4>&1
spent=$({ time "$@" >&4 2>&3; } 2>&1)
status=$?
echo "$spent $out" >>"$KUBECORO_COLD_LOG"
exit "$status"
