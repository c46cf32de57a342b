#!/usr/bin/env bash
# Checks the Markdown of the project: relative links lead to existing files, and each C++ block that follows
# <!-- snippet: FILE NAME --> equals the lines between //[NAME and //] of that file, which is compiled by the build.
# A C++ block without such a mark is an error in README.md and docs/guide: code nobody compiles goes stale.
set -u
root=$1
cd "$root" || exit 2
bad=0
complain() { printf '%s\n' "$1"; bad=$((bad + 1)); }

files=$(find README.md docs apps lib test -name '*.md' -not -path '*/build/*' | sort)
links=0
snippets=0

for f in $files; do
    dir=$(dirname "$f")
    while IFS= read -r link; do
        case "$link" in http://* | https://* | mailto:* | '#'*) continue ;; esac
        links=$((links + 1))
        [ -e "$dir/${link%%#*}" ] || complain "$f: link to ${link%%#*}, which does not exist"
    done < <(awk '/^```/{code=!code} !code' "$f" | grep -oE '\]\([^)[:space:]]+\)' | sed -e 's/^](//' -e 's/)$//')
done

# Prints the region NAME of a source file, without common indentation.
region() {
    awk -v name="$2" '$0 ~ "//\\[" name "$" {on=1; next} on && $0 ~ "//\\]" {exit} on' "$1" |
        awk '{line[NR]=$0; if ($0 ~ /[^ ]/) {match($0, /^ */); if (min=="" || RLENGTH<min) min=RLENGTH}} END {for (i=1; i<=NR; i++) print substr(line[i], min+1)}'
}

for f in $files; do
    while IFS=$'\t' read -r source name start end; do
        snippets=$((snippets + 1))
        if [ "$source" = - ]; then
            case "$f" in README.md | docs/guide/*) complain "$f:$start: a C++ block without a snippet mark" ;; esac
        elif [ ! -f "$source" ]; then
            complain "$f:$start: snippet file $source does not exist"
        elif ! diff -u --label "$source [$name]" --label "$f:$start" <(region "$source" "$name") <(sed -n "$((start + 1)),$((end - 1))p" "$f"); then
            complain "$f:$start: the block differs from $source, region $name"
        fi
    done < <(awk '
        /^<!-- snippet: / {source=$3; name=$4; next}
        /^```cpp/ {start=NR; in_cpp=1; next}
        /^```/ && in_cpp {printf "%s\t%s\t%d\t%d\n", (source ? source : "-"), (name ? name : "-"), start, NR; in_cpp=0; source=""; name=""; next}
        !in_cpp && /[^ ]/ {source=""; name=""}' "$f")
done

printf '%d links, %d C++ blocks, %d problems\n' "$links" "$snippets" "$bad"
[ "$links" -gt 0 ] && [ "$bad" -eq 0 ]
