#!/usr/bin/env bash
# Builds the libraries and the unit tests for aarch64, and runs these under qemu.
#   aarch64.sh OUT PACKAGE..
# OUT keeps the libraries of the other architecture, which are unpacked there with a package list of their own: the system's configuration
# stays as it is. Debian's mirrors have them; others may have to be named in sources.list. Other arguments: the packages with these libraries.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "${1:?usage: aarch64.sh OUT PACKAGE..}"
out=$(cd "$1" && pwd)
shift
fetch() { # package..
    local state=$out/apt apt package link
    mkdir -p "$state"/{lists,archives}/partial "$out/sysroot/usr/lib"
    : >"$state/status"
    apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=false -o APT::Sandbox::User="$(id -un)"
        -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status" -o Dir::Cache="$state")
    "${apt[@]}" update
    "${apt[@]}" install --download-only "$@"
    ln -sfn usr/lib "$out/sysroot/lib"
    for package in "$state"/archives/*.deb; do dpkg-deb --fsys-tarfile "$package" | tar -xC "$out/sysroot" --keep-directory-symlink; done
    find "$out/sysroot" -lname '/*' -print0 | while IFS= read -rd '' link; do
        ln -sfnr "$out/sysroot$(readlink "$link")" "$link"
    done
    rm -rf "$state"
    echo "$*" >"$out/.fetched"
}
[[ -e $out/.fetched && $(<"$out/.fetched") == "$*" ]] || fetch "$@"

cmake -S "$root" -B "$out/build" -G Ninja --toolchain "$root/test/cross/aarch64.cmake" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS_DEBUG=-O1 -DKUBECORO_UNITY=ON -DCMAKE_SYSROOT="$out/sysroot"
cmake --build "$out/build" --parallel "${KUBECORO_JOBS:-$(nproc)}" --target unit_tests
echo "running the unit tests for aarch64"
ctest --test-dir "$out/build" --output-on-failure --parallel 2 -L unit
