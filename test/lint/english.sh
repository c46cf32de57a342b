#!/usr/bin/env bash
# Counts the turns of phrase that comments, documents and test names should not have (docs/contributing.md, "Comments and documents").
# english.txt beside this script holds the count of each file that still has some. Counts may only go down.
#   english.sh ROOT            fails when a file has more than its count, and prints the lines
#   english.sh ROOT --update   writes the present counts to english.txt, unless their sum has risen
#   english.sh ROOT --show [PATH_PREFIX]   prints every line that counts
# ENGLISH_COUNTS names another file of counts.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
counts=${ENGLISH_COUNTS:-$here/english.txt}
cd "${1:?usage: english.sh ROOT [--update | --show [PATH_PREFIX]]}"
verb=${2:-check}

trees=()
for tree in lib apps test docs README.md CMakeLists.txt dev .ci; do
    if [[ -e $tree ]]; then trees+=("$tree"); fi
done
mapfile -t files < <(find "${trees[@]}" -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.md' -o -name '*.sh' -o -name '*.cmake' \
    -o -name CMakeLists.txt -o -name dev -o -path '.ci/*' \) -not -path 'test/lint/english*' | LC_ALL=C sort)

# PATH:LINE: PHRASE: TEXT for each occurrence.
occurrences() {
    LC_ALL=C awk '
        # The prose of a line: comments and test names of code, everything but code blocks and headings of Markdown.
        function prose(line,    at) {
            if (markdown) {
                if (line ~ /^ *```/) { fenced = !fenced; return "" }
                if (fenced || line ~ /^#/) return ""
                gsub(/`[^`]*`/, "", line)
                return line
            }
            if (script) return line ~ /^[ \t]*#/ ? line : ""
            if (in_comment || line ~ /^[ \t]*\/\*/) {
                in_comment = line !~ /\*\//
                return line
            }
            if (line ~ /^[ \t]*(TEST_CASE|SECTION)\(/) return line
            if (match(line, /(^|[ \t;{}])\/\/.*/)) return substr(line, RSTART)
            return ""
        }
        function look(text, pattern, name,    rest) {
            rest = text
            while (match(rest, pattern)) {
                print FILENAME ":" FNR ": " name ": " $0
                rest = substr(rest, RSTART + RLENGTH)
            }
        }
        FNR == 1 {
            markdown = FILENAME ~ /\.md$/
            script = FILENAME !~ /\.(md|hpp|cpp)$/
            fenced = in_comment = 0
        }
        {
            text = prose($0)
            if (text == "") next
            # A capital letter: these open a sentence. A question may.
            if (text !~ /\?/) {
                look(text, "(^|[^A-Za-z_])What [a-z]", "What ...")
                look(text, "(^|[^A-Za-z_])Who [a-z]", "Who ...")
                look(text, "(^|[^A-Za-z_])Of [a-z]", "Of ...")
            }
            text = " " tolower(text) " "
            look(text, "[^a-z_]nobody.s[^a-z_]", "nobody'\''s")
            look(text, "[^a-z_]whoever[^a-z_]", "whoever")
            look(text, "[^a-z_]anew[^a-z_]", "anew")
            look(text, "[^a-z_]in work[^a-z_]", "in work")
            look(text, "[^a-z_](is|are|was|were|be) told[^a-z_]", "is told")
            look(text, "[^a-z_]hears? of[^a-z_]", "hears of")
            look(text, "[^a-z_]so many[^a-z_]", "so many")
            look(text, "[^a-z_]lies? in[^a-z_]", "lies in")
            gsub(/stands? in for/, "", text)
            look(text, "[^a-z_]stands? in[^a-z_]", "stands in")
        }' "${files[@]}" /dev/null
}
per_file() { cut -d: -f1 | LC_ALL=C uniq -c | awk '{ print $1, $2 }'; }
sum() { awk '/^[0-9]+ / { n += $1 } END { print n + 0 }' "$@"; }

case $verb in
--show)
    occurrences | { if [[ -n ${3:-} ]]; then grep -F -- "$3" || true; else cat; fi; }
    ;;
--update)
    now=$(occurrences | per_file)
    if [[ -f $counts && $(sum <<<"$now") -gt $(sum "$counts") ]]; then
        echo "the sum has risen from $(sum "$counts") to $(sum <<<"$now"): mend the new ones first" >&2
        exit 1
    fi
    printf '%s\n' "$now" >"$counts"
    echo "$(sum "$counts") in $(wc -l <"$counts") files"
    ;;
check)
    found=$(occurrences)
    if ! printf '%s\n' "$found" | sed '/^$/d' | per_file | awk '
        FNR == NR && FILENAME != "-" { allowed[$2] = $1; next }
        $1 > allowed[$2] + 0 { printf "%s: %d, allowed are %d\n", $2, $1, allowed[$2]; bad = 1 }
        $1 < allowed[$2] { lower++ }
        END {
            if (lower) print lower " files have fewer than english.txt says: lower it with test/lint/english.sh . --update"
            exit bad
        }' "$counts" -; then
        echo "test/lint/english.sh . --show FILE prints the lines; docs/contributing.md says what to write instead."
        echo "Was a file only moved? Then test/lint/english.sh . --update accepts it, as long as the sum does not rise."
        exit 1
    fi
    ;;
*) exit 2 ;;
esac
