#!/usr/bin/env bash
# Installs a finished build into a folder of its own and builds a user's program against it, by find_package.
# usage: installed.sh BUILD_TREE CONSUMER CMAKE [CMAKE_ARGUMENT..]
set -euo pipefail

build=$1 consumer=$2 cmake=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
# Moved, so that nothing can find its way back to where it was installed or built.
mv "$work/prefix" "$work/elsewhere"
if grep -rIlF -e "$work/prefix" -e "$build" "$work/elsewhere"; then
    echo "the package remembers where it was made" >&2
    exit 1
fi
# A copy, whose definition changes below.
cp -r "$(dirname "$consumer")" "$work/user"
"$cmake" -S "$work/user/$(basename "$consumer")" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/elsewhere" -DCMAKE_BUILD_TYPE=Debug "$@"
"$cmake" --build "$work/build" --parallel 2
"$work/build/consumer"
"$work/build/typed"

# Types are generated again when their definition changes, and the program that uses them is compiled again.
sed -i 's/host: /address: /' "$work/user/sites.yaml"
if "$cmake" --build "$work/build" --target typed >"$work/stale.log" 2>&1; then
    echo "a program that reads a field which the definition has no more was not compiled again" >&2
    exit 1
fi
grep -q "error.*host" "$work/stale.log" || { cat "$work/stale.log"; exit 1; }
sed -i 's/\.host = /.address = /; s/host()/address()/' "$work/user/sites.cpp"
"$cmake" --build "$work/build" --target typed
"$work/build/typed"
