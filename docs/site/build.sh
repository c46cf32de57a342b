#!/usr/bin/env bash
# Builds one site, build/docs/index.html, of the pages and the API reference. Fails on every warning of Doxygen: an unresolved
# reference, a @param that names no parameter. Undocumented members are counted per header in undocumented.txt; the counts may
# only go down, and a header that is not listed has none. Members that C++ itself explains do not count: comparisons, destructors,
# defaulted members, moves, the types that iterators and hashes must have; and the tags of built-in kinds.
# usage: build.sh ROOT [--update]   --update writes the present counts, unless their sum has risen
set -euo pipefail
cd "${1:?usage: build.sh ROOT [--update]}"
site=docs/site out=build/docs counts=docs/site/undocumented.txt
KUBECORO_VERSION=$(sed -n 's/^project(kubecoro VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
export KUBECORO_VERSION

rm -rf "$out"
mkdir -p "$out/pages"
# The names first, so that pages can refer to them; then everything.
{ cat "$site/Doxyfile"; printf '%s\n' "INPUT=docs/site lib" GENERATE_HTML=NO WARN_LOGFILE=/dev/null "GENERATE_TAGFILE=$out/names.tag"; } | doxygen - >/dev/null
mapfile -t pages < <(find README.md docs apps test -name '*.md' | sort)
for page in "${pages[@]}"; do mkdir -p "$out/pages/$(dirname "$page")"; done
LC_ALL=C awk -v out="$out/pages" -f "$site/pages.awk" "$out/names.tag" "${pages[@]}"
{ cat "$site/Doxyfile"; printf '%s\n' "WARN_LOGFILE=$out/warnings.txt"; } | doxygen -

obvious='kubecoro::[a-z]+::v1::|operator(==|<=>|=)\(|=default|=delete|Member ~|&&\) noexcept \(function\)|(value_type|reference|pointer|difference_type|iterator_category|is_transparent|is_avalanching) \(typedef\)'
found=$(grep -vE "$obvious" "$out/warnings.txt" | sed -n 's#.*/include/\(kubecoro/[^:]*\):[0-9]*: warning: .* is not documented\.$#\1#p' | LC_ALL=C sort | uniq -c | awk '{ print $1, $2 }')
sum() { awk '{ n += $1 } END { print n + 0 }'; }
if [[ ${2:-} == --update ]]; then
    if [[ -f $counts && $(sum <<<"$found") -gt $(sum <"$counts") ]]; then
        echo "more members are undocumented than before: document the new ones first" >&2
        exit 1
    fi
    printf '%s\n' "$found" >"$counts"
fi
bad=0
# Doxygen cannot place specialisations of other projects' templates: that is no mistake in a text.
if grep -vE ' is not documented\.$|Internal inconsistency: scope for class (std|boost)::' "$out/warnings.txt"; then bad=1; fi
# A link that Doxygen did not understand is shown as its text.
if grep -nE '&lt;code&gt;|@ref |@subpage ' "$out"/*.html; then bad=1; fi
printf '%s\n' "$found" | awk '
    FNR == NR && FILENAME != "-" { allowed[$2] = $1; next }
    $1 > allowed[$2] + 0 { printf "%s: %d members are undocumented, allowed are %d\n", $2, $1, allowed[$2]; bad = 1 }
    $1 < allowed[$2] + 0 { lower++ }
    END { if (lower) print lower " headers have fewer undocumented members than listed: docs/site/build.sh . --update"; exit bad }' "$counts" - ||
    { bad=1; grep ' is not documented' "$out/warnings.txt" | grep -vE "$obvious" | sed 's/^/  /' | head -40; }
echo "$out/index.html: ${#pages[@]} pages, $(sum <<<"$found") members without documentation"
exit "$bad"
