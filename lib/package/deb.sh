#!/usr/bin/env bash
# Builds Debian packages of the work tree, looks at them with lintian, installs them in a bare tree of this machine's release, and builds a
# user's programs there. Run as root by `./dev package deb`.
# usage: deb.sh OUT    OUT keeps the packages, and the bare tree for the next time
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "${1:?usage: deb.sh OUT}"
out=$(cd "$1" && pwd)
# shellcheck source=../../test/systems/bare.sh
. "$root/test/systems/bare.sh"
note() { echo "deb: $*" >&2; }

version=$(sed -n 's/^project(kubecoro VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
source=$out/kubecoro-$version
rm -f "$out"/*.deb "$out"/*.dsc "$out"/*.changes
copy_sources "$root" "$source"
cp -r "$source/lib/package/debian" "$source/debian"
# The version is that of CMakeLists.txt alone, the time that of the commit.
cat >"$source/debian/changelog" <<CHANGELOG
kubecoro ($version) unstable; urgency=medium

  * docs/CHANGELOG.md says what is new.

 -- $(sed -n 's/^Maintainer: //p' "$source/debian/control")  $(git -C "$root" log -1 --format=%cD)
CHANGELOG

note "dpkg-buildpackage: $out/build.log"
(cd "$source" && dpkg-buildpackage --no-sign -j"${KUBECORO_JOBS:-$(nproc)}") >"$out/build.log" 2>&1 || { tail -20 "$out/build.log" >&2; exit 1; }
note "lintian"
lintian --allow-root --fail-on error,warning "$out"/kubecoro_"$version"_*.changes

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
tree=$out/$release
note "installing in a bare $release"
bare_tree "$tree" "$release"
rm -rf "$tree/packages" "$tree/user"
mkdir "$tree/packages"
cp "$out"/*.deb "$tree/packages"
cp -r "$root/test/package" "$tree/user"
compiler=g++ cxx=c++
if grep -q 'compiler identification is Clang' "$out/build.log"; then compiler=clang-19 cxx=clang++-19; fi # as debian/rules chose
inside "$tree" "apt-get -qq update && apt-get purge -qq -y kubecoro libkubecoro-dev >/dev/null 2>&1 || true
    apt-get install -qq -y --no-install-recommends /packages/*.deb $compiler g++ cmake ninja-build pkgconf >/packages/apt.log 2>&1 || { tail -5 /packages/apt.log; exit 1; }
    bash /user/consumers.sh /usr /user/installed cmake -G Ninja -DCMAKE_CXX_COMPILER=$cxx"
note "done: $(cd "$out" && ls kubecoro_"$version"* ./*.deb | tr '\n' ' ')"
