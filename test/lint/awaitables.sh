#!/usr/bin/env bash
# Compares the public functions that return an awaitable with the table of test/unit/callers, which awaits each of them: prints
# what only one of the two has.
# usage: awaitables.sh SOURCE_ROOT
set -euo pipefail

cd "${1:?usage: awaitables.sh SOURCE_ROOT}"

# Called by Asio, within an operation of the program's.
not_awaited='base/as_result.hpp initiate'

# "MODULE/HEADER NAME" for each declaration outside `detail` and private parts of classes.
declared() {
    find lib -path '*/include/kubecoro/*.hpp' -not -path '*/detail/*' | LC_ALL=C sort | xargs -r awk '
        function code_of(text) {
            sub(/\/\/.*/, "", text)
            if (in_comment) { if (text !~ /\*\//) return ""; sub(/^.*\*\//, "", text); in_comment = 0 }
            gsub(/\/\*.*\*\//, "", text)
            if (text ~ /\/\*/) { sub(/\/\*.*/, "", text); in_comment = 1 }
            return text
        }
        # What follows the type of an awaitable, or "?" if the type does not end here.
        function after_type(text,    i, c, depth) {
            for (i = 1; i <= length(text); ++i) {
                c = substr(text, i, 1)
                if (c == "<") ++depth
                if (c == ">" && --depth == 0) return substr(text, i + 1)
            }
            return "?"
        }
        FNR == 1 {
            in_comment = in_detail = hidden = 0
            type = ""
            header = FILENAME
            sub(/^lib\/[a-z]+\/include\/kubecoro\//, "", header)
        }
        /^namespace (kubecoro::)?detail \{/ { in_detail = only_names = 1; next }
        in_detail && !/^(class|struct) [a-z_]+;$/ && !/^\}/ && NF { only_names = 0 }
        /^\} \/\/ namespace/ || (only_names && /^\}/) { in_detail = 0 }
        /^(private|protected):/ { hidden = 1 }
        /^public:|^\};/ { hidden = 0 }
        {
            code = code_of($0)
            while (1) {
                if (type == "") {
                    if ((at = index(code, "awaitable<")) == 0) break
                    type = substr(code, at + length("awaitable"))
                } else {
                    type = type " " code
                }
                code = ""
                rest = after_type(type)
                if (rest == "?" || rest ~ /^[ \t]*$/) break
                type = ""
                if (!in_detail && !hidden && match(rest, /^[ \t]*[a-z_]+\(/)) {
                    name = substr(rest, 1, RLENGTH - 1)
                    gsub(/[ \t]/, "", name)
                    print header " " name
                }
                code = rest
            }
        }'
}

known() { cat test/unit/callers/*.cpp | grep -oE '\{"[a-z]+/[a-z_]+\.hpp [a-z_]+"' | cut -d'"' -f2 || true; }

bad=0
while read -r difference; do
    case $difference in
        '<'*) echo "lib: ${difference#< } is in no table of test/unit/callers"; bad=1 ;;
        '>'*) echo "test/unit/callers: ${difference#> } is declared nowhere"; bad=1 ;;
    esac
done < <(diff <(declared | grep -vxF "$not_awaited" | LC_ALL=C sort -u) <(known | LC_ALL=C sort -u))
exit "$bad"
