#!/usr/bin/env bash
# Builds base, api and the unit tests of api for aarch64, and runs these under qemu: the NEON instructions of the scanner.
#   aarch64.sh OUT [catch arguments]
# Needs the cross compiler and qemu-user. The libraries of the other architecture are unpacked in OUT, with a package list
# of their own: the system's configuration stays as it is. Debian's mirrors have them; others may have to be named in
# sources.list.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "${1:?usage: aarch64.sh OUT [catch arguments]}"
out=$(cd "$1" && pwd)
shift
sysroot=$out/sysroot
boost=$(dpkg-query -W -f '${Package}\n' 'libboost-json*-dev' | grep -o '[0-9][0-9.]*' | tail -n 1)

fetch() {
    local apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$out/lists"
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User="$(id -un)") package
    mkdir -p "$out/lists/partial" "$out/packages"
    "${apt[@]}" update
    (cd "$out/packages" && "${apt[@]}" download "libboost-json$boost-dev" "libboost-container$boost-dev" libzstd-dev libre2-dev librapidcheck-dev)
    for package in "$out"/packages/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
    touch "$out/.fetched"
}
[[ -e $out/.fetched ]] || fetch

compiler=(aarch64-linux-gnu-g++)
if command -v ccache >/dev/null; then compiler=(ccache "${compiler[@]}"); fi
# Boost's and Catch2's headers are those of the system; behind the cross compiler's own, so that its C library's are found first.
export FLAGS="-std=c++20 -O1 -DCATCH_CONFIG_NO_POSIX_SIGNALS -I$root/lib/base/include -I$root/lib/api/include -I$root/lib/api/src
    -I$root/test/support/include -I$sysroot/usr/include -idirafter /usr/include
    -DKUBECORO_TEST_DATA=\"$root/test/unit/api/data\""
sources=("$root"/lib/base/src/*.cpp "$root"/lib/api/src/*/*.cpp "$root"/test/unit/api/*.cpp "$root"/test/support/{catch_main,allocations}.cpp)
mkdir -p "$out/objects"
rm -f "$out"/objects/*
printf '%s\n' "${sources[@]}" | OUT=$out xargs -n 1 -P "${KUBECORO_JOBS:-$(nproc)}" bash -c '
    object=${@: -1} object=${object#*/lib/} object=${object#*/test/}
    # shellcheck disable=SC2086
    exec "${@:1:$#-1}" $FLAGS -c -o "$OUT/objects/${object//\//_}.o" "${@: -1}"' bash "${compiler[@]}"
aarch64-linux-gnu-g++ -static -o "$out/test_unit_api" "$out"/objects/*.o -L"$sysroot/usr/lib/aarch64-linux-gnu" \
    -lrapidcheck -lboost_json -lboost_container -lzstd -lre2 -pthread
echo "running the unit tests of api for aarch64"
qemu-aarch64 "$out/test_unit_api" "$@"
