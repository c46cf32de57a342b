#!/usr/bin/env bash
# Builds one site, build/docs/index.html, of the pages and the API reference. Fails on every warning of Doxygen: an unresolved
# reference, a @param that names no parameter, a public member without a comment. Members that C++ itself explains need none:
# comparisons, destructors, defaulted members, moves, the types that iterators and hashes must have; and the names of `kubecoro::untyped`.
# usage: build.sh ROOT
set -euo pipefail
cd "${1:?usage: build.sh ROOT}"
site=docs/site out=build/docs
KUBECORO_VERSION=$(sed -n 's/^project(kubecoro VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
export KUBECORO_VERSION

rm -rf "$out"
mkdir -p "$out/pages"
# The names first, so that pages can refer to them; then everything.
{ cat "$site/Doxyfile"; printf '%s\n' "INPUT=docs/site lib" GENERATE_HTML=NO WARN_LOGFILE=/dev/null "GENERATE_TAGFILE=$out/names.tag"; } | doxygen - >/dev/null
mapfile -t pages < <(find README.md docs apps lib test -name '*.md' | sort)
for page in "${pages[@]}"; do mkdir -p "$out/pages/$(dirname "$page")"; done
LC_ALL=C awk -v out="$out/pages" -f "$site/pages.awk" "$out/names.tag" "${pages[@]}"
bash test/docs/conformance.sh tables . >>"$out/pages/docs/conformance.md"
{ cat "$site/Doxyfile"; printf '%s\n' "WARN_LOGFILE=$out/warnings.txt"; } | doxygen -

obvious='kubecoro::untyped::|operator(==|<=>|=)\(|=default|=delete|Member ~|&&\) noexcept \(function\)|(value_type|reference|pointer|difference_type|iterator_category|is_transparent|is_avalanching) \(typedef\)'
bad=0
# Doxygen cannot place specialisations of other projects' templates, and takes a template that derives from one of its own for a
# circle: these are no mistakes in a text.
if grep -vE "($obvious).* is not documented\.\$|Internal inconsistency: scope for class (std|boost)::|Detected potential recursive class relation|^$" "$out/warnings.txt"; then bad=1; fi
# A link that Doxygen did not understand is shown as its text.
if grep -nE '&lt;code&gt;|@ref |@subpage ' "$out"/*.html; then bad=1; fi
echo "$out/index.html: ${#pages[@]} pages"
exit "$bad"
