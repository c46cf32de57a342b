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

# The table first, line by line; then each file as one record.
LC_ALL=C awk '
    function trim(s) { gsub(/^ +| +$/, "", s); return s }
    part == 1 {
        if (/^#/ || /^ *$/) next
        n = split($0, parts, / [|] /)
        rows++
        line[rows] = FNR
        definition[rows] = trim(parts[1])
        row_text[rows] = substr($0, index($0, "|") + 1)
        for (i = 2; i <= n; i++) {
            at = index(parts[i], ": ")
            places++
            row[places] = rows
            file[places] = trim(substr(parts[i], 1, at - 1))
            phrase[places] = trim(substr(parts[i], at + 2))
        }
        table = FILENAME
        next
    }
    part == 2 {
        for (i = 1; i <= rows; i++) if (!(i in defined) && index($0, definition[i])) defined[i] = 1
        next
    }
    {
        squeezed = 0
        for (i = 1; i <= places; i++) {
            if (substr("/" FILENAME, length(FILENAME) + 1 - length(file[i])) != "/" file[i]) continue
            if (!squeezed++) { gsub(/\n[ \t]*(\/\/\/?<?|\/?\*+)?/, " "); gsub(/[ \t]+/, " ") }
            if (index($0, phrase[i])) found[i] = 1
        }
    }
    function complain(i, what) { print table ":" line[i] ": " what; bad++ }
    END {
        for (i = 1; i <= rows; i++)
            if (!(i in defined)) complain(i, "`" definition[i] "` is no longer in lib; its number is repeated in" row_text[i])
        for (i = 1; i <= places; i++) if (!(i in found)) complain(row[i], "\"" phrase[i] "\" is not in " file[i])
        printf "%d constants in %d places, %d problems\n", rows, places, bad
        exit bad > 0 || places == 0
    }' part=1 "$here/constants.txt" part=2 RS='\001' "${code[@]}" part=3 "${texts[@]}"
