#!/usr/bin/env bash
# Checks that texts name only what exists: Markdown pages by their `code spans`, public headers by their comments.
#
# These parts of a code span must exist, code blocks aside:
#   a name with an underscore, a call `name()`, each part of `a::b`   as a word of the code (comments do not count)
#   a file name or path that ends in .hpp, .cpp, .sh, .txt or .md     as a file, or as the end of its path
# The code is, for pages that users read (README.md, docs/guide, docs/semantics), the public headers and, but for calls, string
# literals of one word (metrics, log fields) and the CMake files; for other pages lib, apps and test/support as a whole; for pages about tests and
# benchmarks also the rest of test. In comments of public headers the parts of api::name and the like must exist in lib.
#
# Qualified names of the standard library, Boost and Asio are skipped. Other names that are not ours are listed in
# foreign_names.txt beside this script, one a line; a line that nothing needs is an error as well. Left out are
# docs/decisions (what was tried) and the changelog (former names).
# usage: names.sh ROOT
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "${1:?usage: names.sh ROOT}"

existing() { for path; do if [[ -e $path ]]; then printf '%s\n' "$path"; fi; done; }
mapfile -t trees < <(existing lib apps test docs CMakeLists.txt README.md)
mapfile -t pages < <(find "${trees[@]}" -name '*.md' -not -path 'docs/decisions/*' -not -name CHANGELOG.md | sort)
mapfile -t headers < <(find lib -path '*/include/*' -name '*.hpp' | sort)
mapfile -t public_headers < <(printf '%s\n' "${headers[@]}" | grep -v /detail/)

# A word a line, with the place where it occurs: `public` headers, `text` (a string literal or CMake file), `any` code, `test`.
words() { # class, then files
    local class=$1
    shift
    (($#)) || return 0
    cat "$@" /dev/null | LC_ALL=C awk -v class="$class" '
        {
            if (block) { if (!(at = index($0, "*/"))) next; $0 = substr($0, at + 2); block = 0 }
            while ((at = index($0, "/*")) > 0) {
                rest = substr($0, at + 2)
                $0 = substr($0, 1, at - 1)
                if ((end = index(rest, "*/")) == 0) { block = 1; break }
                $0 = $0 " " substr(rest, end + 2)
            }
            sub(/(^|[^:"])\/\/.*/, "")
            text = $0
            while (class == "any" && match(text, /"[a-z0-9_]+"/)) {
                split_words(substr(text, RSTART, RLENGTH), "text")
                text = substr(text, RSTART + RLENGTH)
            }
            split_words($0, class)
        }
        function split_words(text, as,    i, n, all) {
            n = split(text, all, /[^A-Za-z0-9_]+/)
            for (i = 1; i <= n; i++) if (all[i] != "" && !seen[as, all[i]]++) print as, all[i]
        }'
}

{
    mapfile -t files < <(find $(existing lib apps test/support) -name '*.hpp' -o -name '*.cpp')
    words any "${files[@]}"
    words public "${public_headers[@]}"
    mapfile -t files < <(find $(existing test docs/snippets) -name '*.hpp' -o -name '*.cpp' -o -path '*/bench/*' \( -name '*.go' -o -name '*.rs' -o -name '*.sh' \))
    words test "${files[@]}"
    mapfile -t files < <(find "${trees[@]}" -name CMakeLists.txt -o -name '*.cmake')
    cat "${files[@]}" /dev/null | tr -cs 'A-Za-z0-9_' '\n' | LC_ALL=C sort -u | sed 's/^/text /'
} | LC_ALL=C awk -v foreign="$here/foreign_names.txt" -v paths=<(find . \( -name .git -o -path './build*' \) -prune -o -type f -print) '
    BEGIN {
        while ((getline line < foreign) > 0) {
            lines++
            if (line !~ /^#/ && line != "") allowed[line] = lines
        }
        while ((getline path < paths) > 0) {
            sub(/^\./, "", path)
            while (match(path, /\//)) { path = substr(path, RSTART + 1); is_path[path] = 1 }
        }
    }
    function complain(text) { print FILENAME ":" FNR ": " text; bad++ }
    function is_known(name, call) { return (("public", name) in known) || (!call && (("text", name) in known)) || (level > 1 && (("any", name) in known)) || (level > 2 && (("test", name) in known)) }
    # Metrics are composed: the sink adds the prefix, and a page may give the ending alone.
    function is_metric(name,    word) {
        if (name ~ /^kubecoro_/) return is_known(substr(name, 10))
        if (name !~ /^_/) return 0
        for (word in known) if (substr(word, length(word) - length(name) + 1) == name) return 1
        return 0
    }
    function check(name, where, call) {
        if (is_known(name, call) || is_metric(name)) checked++
        else if (name in allowed) needed[name] = 1
        else complain("`" name "` is not a name in " where)
    }
    function check_span(span,    rest, name, before, after, file) {
        rest = ""
        while (match(span, /[A-Za-z0-9_.\/-]+/)) {
            file = substr(span, RSTART, RLENGTH)
            before = substr(span, 1, RSTART - 1)
            span = substr(span, RSTART + RLENGTH)
            if (file !~ /[A-Za-z0-9_]\.(hpp|cpp|sh|txt|md)$/) {
                rest = rest before file
                continue
            }
            rest = rest before " "
            sub(/^(\.\.?\/)+/, "", file)
            if (before ~ /[*{},}<>$]$/) continue
            if (file in is_path) checked++
            else if (file in allowed) needed[file] = 1
            else complain("no file `" file "`")
        }
        rest = rest span
        gsub(/(std|boost|asio|ranges)(::[A-Za-z_0-9]+)+/, " ", rest)
        while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
            name = substr(rest, RSTART, RLENGTH)
            before = RSTART > 1 ? substr(rest, 1, RSTART - 1) : ""
            after = substr(rest, RSTART + RLENGTH)
            rest = after
            if (before ~ /[-$\/@%]$/ || after ~ /^[-*\/{]/ || name !~ /^[a-z_][a-z0-9_]*$/) continue
            if (name ~ /._./ || name ~ /^_./ || after ~ /^\(/ || after ~ /^::/ || before ~ /::$/) check(name, scope, after ~ /^\(/)
        }
    }
    function begin_file() {
        fenced = 0
        header = FILENAME ~ /\.hpp$/
        level = FILENAME ~ /^(README\.md$|docs\/(guide\/|semantics))/ ? 1 : 2
        if (FILENAME ~ /^(test\/|docs\/(testing|benchmarks|contributing|glossary)\.md$)/) level = 3
        scope = level == 1 ? "a public header" : level == 2 ? "lib, apps or test/support" : "lib, apps or test"
    }
    # In comments only what is qualified by a namespace or class of ours: prose has words with underscores in examples.
    function check_comment(text,    name, parts, i, n) {
        while (match(text, /[a-z_][a-z0-9_]*(::[a-z_][a-z0-9_]*)+/)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            if (name ~ /^(std|boost|asio|ranges)::/) continue
            n = split(name, parts, "::")
            for (i = 1; i <= n; i++) check(parts[i], "lib, apps or test/support")
        }
    }
    FILENAME == "-" { known[$1, $2] = 1; next }
    FNR == 1 { begin_file() }
    header {
        if (/^[ \t]*\/\*\*/) in_comment = 1
        if (in_comment) check_comment($0)
        else if ((at = index($0, "//")) > 0) check_comment(substr($0, at))
        if (/\*\//) in_comment = 0
        next
    }
    /^ *```/ { fenced = !fenced; next }
    fenced { next }
    {
        n = split($0, parts, "`")
        for (i = 2; i < n; i += 2) check_span(parts[i])
    }
    END {
        for (name in allowed) if (!(name in needed)) { print foreign ":" allowed[name] ": nothing needs `" name "`"; bad++ }
        printf "%d names checked, %d problems\n", checked, bad
        exit bad > 0 || checked == 0
    }' - "${pages[@]}" "${headers[@]}"
