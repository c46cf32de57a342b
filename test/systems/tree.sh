#!/usr/bin/env bash
# Builds and tests in a bare tree of another Debian release, whose compiler and libraries are newer.
#   tree.sh OUT RELEASE [--all]
# OUT keeps the tree, its build and its compiler cache. Without --all the libraries that programs embed are compiled, and base, api and testing are
# tested, within ten minutes of a processor; with it everything is built and tested.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=${1:?usage: tree.sh OUT RELEASE [--all]} release=${2:?}
mkdir -p "$out"
tree=$(cd "$out" && pwd)/$release

note() { echo "systems: $*" >&2; }

# shellcheck source=bare.sh
. "$root/test/systems/bare.sh"
bare_tree "$tree" "$release"
mkdir -p "$tree/src"
# Deleted files go as well; unchanged ones keep their times.
new=$tree/src.new
copy_sources "$root" "$new"
if [[ -d $tree/src/build ]]; then mv "$tree/src/build" "$new/build"; fi
rm -rf "$tree/src"
mv "$new" "$tree/src"

in_sources() { inside "$tree" "cd /src; $1"; }

# The packages are those that ./dev installs.
in_sources 'root=$PWD; note() { echo "$*" >&2; }; die() { note "$*"; exit 1; }; . .ci/packages.sh; need build'

if [[ ${3:-} == --all ]]; then
    in_sources './dev test'
    exit
fi
in_sources 'c++ --version | head -n 1; dpkg-query -W -f "Boost \${Version}\n" libboost-dev'
in_sources 'cmake -S . -B build/debug -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DKUBECORO_UNITY=ON >build.log || { tail -20 build.log; exit 1; }
    cmake --build build/debug -j "$KUBECORO_JOBS" --target test_unit_base test_unit_api test_unit_testing \
        kubecoro_cache kubecoro_client kubecoro_controller kubecoro_endpoints kubecoro_manager
    cd build/debug/bin
    ./test_unit_base
    ./test_unit_testing
    ./test_unit_api "~[validation]"' # whose counted steps take minutes without optimisation
