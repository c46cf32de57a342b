#!/usr/bin/env bash
# Every metric that the library records has a help text (known_metrics.cpp) and its full name in the guide; and every
# name in known_metrics.cpp is recorded somewhere.
# usage: metrics.sh SOURCE_ROOT
set -euo pipefail
cd "${1:?usage: metrics.sh SOURCE_ROOT}"

known=lib/endpoints/src/metrics/known_metrics.cpp
guide=docs/guide/observability.md

# Names as literals; and those that are put together: in informer_meter.cpp behind "kubecoro_", in run_ledger.cpp behind a prefix.
recorded() {
    grep -rhoE --include='*.cpp' '"(kubecoro|workqueue|rest_client|controller_runtime|leader_election|process)_[a-z0-9_]*[a-z0-9]"' \
        lib --exclude="$(basename "$known")" --exclude-dir=testing
    grep -hoE '"(informer|handler)_[a-z_]+"' lib/cache/src/informer/informer_meter.cpp | sed 's/"/"kubecoro_/'
    local prefix
    prefix=$(sed -n 's/.*prefix = "\([a-z_]*\)".*/\1/p' lib/controller/src/controller/run_ledger.cpp)
    grep -hoE 'prefix \+ "[a-z_]+"' lib/controller/src/controller/run_ledger.cpp | sed "s/prefix + \"/\"$prefix/"
}

mapfile -t names < <(recorded | tr -d '"' | sort -u)
mapfile -t described < <(grep -oE '^    \{"[a-z0-9_]+"' "$known" | tr -d ' {"' | sort -u)
if ((${#names[@]} < 50 || ${#described[@]} < 50)); then
    echo "found only ${#names[@]} recorded and ${#described[@]} described metrics: the patterns here no longer fit" >&2
    exit 2
fi
declare -A is_recorded is_described
for name in "${names[@]}"; do is_recorded[$name]=1; done
for name in "${described[@]}"; do is_described[$name]=1; done
bad=0
for name in "${names[@]}"; do
    if [[ -z ${is_described[$name]:-} ]]; then
        echo "$known: no help text for $name, which the library records"
        bad=1
    fi
done
for name in "${described[@]}"; do
    if [[ -z ${is_recorded[$name]:-} ]]; then
        echo "$known: $name is recorded nowhere"
        bad=1
    fi
    if ! grep -q "\`$name\`" "$guide"; then
        echo "$guide: no row for $name"
        bad=1
    fi
done
exit "$bad"
