#!/usr/bin/env bash
# ./dev on a machine that has nothing: help needs no package and builds nothing, and missing packages are named.
# usage: dev.sh SOURCE_TREE
set -euo pipefail

dev=$1/dev
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() { printf '%s\n' "$*" >&2; exit 1; }

# A package manager that has no package, and programs that record that they were called.
mkdir "$work/bin"
for name in apt-get sudo cmake ctest go clang-format clang-format-16 doxygen; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\nexit 1\n' "$name" "$work" >"$work/bin/$name"
done
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
chmod +x "$work"/bin/*
export PATH=$work/bin:$PATH

for verb in build test check e2e cluster package format docs coverage; do
    for flag in --help -h; do
        said=$("$dev" "$verb" $flag </dev/null) || die "./dev $verb $flag fails"
        [[ $said == 'usage: ./dev VERB'* ]] || die "./dev $verb $flag: $said"
    done
done
[[ ! -e $work/calls ]] || die "help has called: $(<"$work/calls")"

said=$(KUBECORO_NO_INSTALL=1 "$dev" build 2>&1 </dev/null) && die "a build without packages ends well"
[[ $said == *'not installed'*' ninja-build '* ]] || die "the missing packages are not named: $said"
! grep -q apt-get "$work/calls" || die "KUBECORO_NO_INSTALL: $(<"$work/calls")"

rm -f "$work/calls"
said=$(KUBECORO_NO_INSTALL=1 "$dev" bench cluster 2>&1 </dev/null) && die "a bench of a cluster without Go ends well"
[[ $said == *'built with Go >= '* ]] || die "the missing Go is not named: $said"
! grep -q '^cmake' "$work/calls" || die "compiled before it looked for Go"
echo "help needs nothing, and missing packages are named"
