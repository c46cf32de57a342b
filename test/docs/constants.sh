#!/usr/bin/env bash
# Checks numbers that pages and header comments repeat. Each line of constants.txt,
#   DEFINITION | FILE: PHRASE | FILE: PHRASE ...
# names a piece of code that must occur in lib, and the places where its number is repeated: a page or public header, by the end
# of its path, and words in it (line breaks do not count). When the constant changes, its line no longer matches and lists the
# texts to change; when a text changes, so does its phrase here.
# usage: constants.sh ROOT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${1:?usage: constants.sh ROOT}"
mapfile -t texts < <(find README.md docs -name '*.md'; find lib -path '*/include/*' -name '*.hpp')
mapfile -t code < <(find lib -name '*.hpp' -o -name '*.cpp')

LC_ALL=C awk '
    function squeeze(s) { gsub(/[ \t]+/, " ", s); return s }
    function trim(s) { gsub(/^ +| +$/, "", s); return s }
    part == 1 { all = all "\n" $0; next }
    part == 2 {
        line = $0
        sub(/^[ \t]*(\/\/\/?<?|\/?\*+)/, "", line)
        text[FILENAME] = text[FILENAME] " " line
        next
    }
    /^#/ || /^ *$/ { next }
    {
        n = split($0, parts, / [|] /)
        rows++
        if (!index(all, trim(parts[1]))) complain("`" trim(parts[1]) "` is no longer in lib; its number is repeated in" substr($0, index($0, "|") + 1))
        if (n < 2) complain("no place")
        for (i = 2; i <= n; i++) {
            at = index(parts[i], ": ")
            file = trim(substr(parts[i], 1, at - 1))
            phrase = trim(substr(parts[i], at + 2))
            found = 0
            for (f in text) {
                if (substr("/" f, length(f) + 1 - length(file)) != "/" file) continue
                if (index(squeeze(text[f]), phrase)) found = 1
            }
            places++
            if (!found) complain("\"" phrase "\" is not in " file)
        }
    }
    function complain(what) { print FILENAME ":" FNR ": " what; bad++ }
    END {
        printf "%d constants in %d places, %d problems\n", rows, places, bad
        exit bad > 0 || rows == 0
    }' part=1 "${code[@]}" part=2 "${texts[@]}" part=3 "$here/constants.txt"
