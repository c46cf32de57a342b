#!/usr/bin/env bash
# Fetches the definitions of modules.txt through the Go module proxy into OUT/definitions, a folder for each project and version. Nothing of them
# is kept in the repository. Status 3: one cannot be fetched.
# Usage: fetch.sh OUT
set -euo pipefail

mkdir -p "$1"
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fetch() { # MODULE VERSION: prints the folder
    local answer root
    # Only the files matter: the version of Go that a module demands does not.
    answer=$(cd "$out" && GOFLAGS=-mod=mod go mod download -json "$1@$2" 2>"$out/go.err") || true
    root=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$answer")
    if [[ -z $root ]]; then
        root=$(sed -n 's/^\t"Zip": "\(.*\)",$/\1/p' <<<"$answer")
        [[ -n $root ]] || { sed -n 's/^\t"Error": //p' <<<"$answer"; cat "$out/go.err"; return 1; } >&2
        root=$(go env GOMODCACHE)/$1@$2
        [[ -d $root ]] || { echo "$1@$2 was fetched, but not unpacked to $root" >&2; return 1; }
    fi
    echo "$root"
}

rm -rf "$out/definitions" "$out/definitions.new"
while read -r name module version pattern; do
    [[ $name && $name != \#* ]] || continue
    root=$(fetch "$module" "$version") || exit 3
    mkdir -p "$out/definitions.new/$name-$version"
    # shellcheck disable=SC2086 # a pattern
    cp "$root"/$pattern "$out/definitions.new/$name-$version"
    chmod -R u+w "$out/definitions.new"
done <"$here/modules.txt"
mv "$out/definitions.new" "$out/definitions"
