#!/usr/bin/env bash
# Builds and tests in a bare tree of another Debian release, whose compiler and libraries are newer.
#   tree.sh OUT RELEASE [--all]
# OUT keeps the tree, its build and its compiler cache. Without --all only base, api and testing are built and their unit tests run, within ten
# minutes of a processor; with it everything is.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=${1:?usage: tree.sh OUT RELEASE [--all]} release=${2:?}
mkdir -p "$out"
tree=$(cd "$out" && pwd)/$release

note() { echo "systems: $*" >&2; }

if [[ ! -e $tree/.ready ]]; then
    note "a bare $release, by debootstrap"
    rm -rf "$tree"
    known=() # a debootstrap older than the release has no script for it
    if [[ ! -e /usr/share/debootstrap/scripts/$release ]]; then known=(http://deb.debian.org/debian /usr/share/debootstrap/scripts/sid); fi
    debootstrap --variant=minbase "$release" "$tree" "${known[@]}" >"$out/$release.log" 2>&1 || { tail -5 "$out/$release.log" >&2; exit 1; }
    touch "$tree/.ready"
fi
mkdir -p "$tree/src"
# Files as they are, without what git ignores. Deleted files go as well; unchanged ones keep their times.
(cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 -r ls -d 2>/dev/null) >"$out/$release.files" || true
new=$tree/src.new
rm -rf "$new"
mkdir "$new"
tar -C "$root" --files-from "$out/$release.files" -cf - | tar -C "$new" -xf -
if [[ -d $tree/src/build ]]; then mv "$tree/src/build" "$new/build"; fi
rm -rf "$tree/src"
mv "$new" "$tree/src"

inside() { # command: mounts end with the command
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount bash -c '
        mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" /usr/bin/env -i \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
            KUBECORO_JOBS="$1" bash -euc "cd /src; $2"' "$tree" "${KUBECORO_JOBS:-$(nproc)}" "$1"
}

# The packages are those that ./dev installs.
inside 'root=$PWD; note() { echo "$*" >&2; }; die() { note "$*"; exit 1; }; . .ci/packages.sh; need build'

if [[ ${3:-} == --all ]]; then
    inside './dev test'
    exit
fi
inside 'c++ --version | head -n 1; dpkg-query -W -f "Boost \${Version}\n" libboost-dev'
inside 'cmake -S . -B build/debug -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DKUBECORO_UNITY=ON >build.log || { tail -20 build.log; exit 1; }
    cmake --build build/debug -j "$KUBECORO_JOBS" --target test_unit_base test_unit_api test_unit_testing
    cd build/debug/bin
    ./test_unit_base
    ./test_unit_testing
    ./test_unit_api "~[validation]"' # whose counted steps take minutes without optimisation
