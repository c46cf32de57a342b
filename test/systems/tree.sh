#!/usr/bin/env bash
# Builds and tests in a bare tree of a Debian release, as a newcomer does there: the only set-up is what ./dev installs.
#   tree.sh OUT RELEASE [--all | --packages]
# OUT keeps the tree, its builds and its compiler cache. Without --all the demo runs, and in trixie the libraries that programs embed are
# compiled with the newest Boost that it has, and base, api and testing are tested. With --all ./dev test runs, with each compiler and Boost.
# With --packages ./dev installs what it needs, and builds the module base.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=${1:?usage: tree.sh OUT RELEASE [--all]} release=${2:?}
mkdir -p "$out"
tree=$(cd "$out" && pwd)/$release

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

note() { echo "systems: $release: $*" >&2; }
in_sources() { inside "$tree" "cd /src; $1"; }
install() { in_sources "apt-get install -y -qq --no-install-recommends $* >/dev/null"; }
newest_boost() { install libboost1.88-dev libboost-json1.88-dev libboost-url1.88-dev; }

if [[ ${3:-} == --packages ]]; then
    in_sources './dev build kubecoro_base'
    exit
fi

started=$SECONDS
in_sources './dev demo'
note "the demo: $((SECONDS - started)) s, its packages included"

if [[ ${3:-} == --all ]]; then
    in_sources './dev test'
    if [[ $release == trixie ]]; then
        install g++-13 clang-19
        # Its linker takes the newer library of gcc 14, of which Boost's libraries use a function.
        in_sources 'CXX=g++-13 cmake --preset release -B build/gcc-13 -DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined && cmake --build build/gcc-13 -j "$KUBECORO_JOBS" && ctest --test-dir build/gcc-13 -j 2 -L unit'
        newest_boost
        in_sources 'CXX=clang++-19 cmake --preset release -B build/clang-19 && cmake --build build/clang-19 -j "$KUBECORO_JOBS" && ctest --test-dir build/clang-19 -j 2 -L unit'
    elif [[ $release == bookworm ]]; then
        install clang-16
        in_sources 'CXX=clang++-16 cmake --preset release -B build/clang-16 && cmake --build build/clang-16 -j "$KUBECORO_JOBS" && ctest --test-dir build/clang-16 -j 2 -L unit'
    fi
elif [[ $release == trixie ]]; then
    newest_boost
    in_sources 'cmake -S . -B build/newest -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DKUBECORO_UNITY=ON >build.log || { tail -20 build.log; exit 1; }
        cmake --build build/newest -j "$KUBECORO_JOBS" --target test_unit_base test_unit_api test_unit_testing \
            kubecoro_cache kubecoro_collections kubecoro_client kubecoro_controller kubecoro_endpoints kubecoro_manager kubecoro_webhooks kubecoro_cel kubecoro_proof
        cd build/newest/bin
        ./test_unit_base
        ./test_unit_testing
        ./test_unit_api "~[validation]"' # whose counted steps take minutes without optimisation
fi
