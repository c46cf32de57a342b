#!/usr/bin/env bash
# Shows rooms.sh a tree whose rooms are in order, and one break of each rule.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

write() { # path, then the text on stdin
    mkdir -p "$tree/$(dirname "$1")"
    cat >"$tree/$1"
}

# Two modules with a room of the same name, at different places.
clean() {
    rm -rf "${tree:?}"/*
    printf 'kubecoro_module(client\n  ROOMS http rest\n  SOURCES http/a.cpp rest/b.cpp)\n' | write lib/client/CMakeLists.txt
    printf '#include "http/a.hpp"\n' | write lib/client/src/http/a.cpp
    printf '#include "http/a.hpp"\n#include <rest/of/others.hpp>\n' | write lib/client/src/rest/b.cpp
    printf 'kubecoro_module(apiserver\n  ROOMS rest http\n  SOURCES http/a.cpp rest/b.cpp)\n' | write lib/apiserver/CMakeLists.txt
    printf '#include "rest/b.hpp"\n#include "b.hpp"\n' | write lib/apiserver/src/http/a.cpp
    printf 'int b;\n' | write lib/apiserver/src/rest/b.cpp
    printf 'int c;\n' | write lib/base/src/c.cpp
    printf 'kubecoro_module(base\n  SOURCES c.cpp)\n' | write lib/base/CMakeLists.txt
}

expect() { # file:line and a part of the rule
    local report
    report=$("$here/rooms.sh" "$tree" 2>/dev/null) && { echo "not noticed at all: $1 $2"; failed=1; }
    if [[ $(wc -l <<<"$report") != 1 || $report != "$1: "*"$2"* ]]; then
        echo "expected $1: ...$2..., got:"
        echo "${report:-nothing}"
        failed=1
    fi
    clean
}

clean
if ! "$here/rooms.sh" "$tree"; then
    echo "rooms in order were reported"
    failed=1
fi
printf '#pragma once\n\n#include "rest/b.hpp"\n' | write lib/client/src/http/a.hpp
expect lib/client/src/http/a.hpp:3 "room http includes room rest, which is after it"
printf 'int d;\n' | write lib/client/src/serve/d.cpp
expect lib/client/src/serve/d.cpp:1 "the folder serve is not in ROOMS of lib/client/CMakeLists.txt"
printf 'int c;\n' | write lib/base/src/first/c.cpp
expect lib/base/src/first/c.cpp:1 "the folder first is not in ROOMS of lib/base/CMakeLists.txt"
rm "$tree/lib/client/src/rest/b.cpp"
expect lib/client/CMakeLists.txt:1 "ROOMS names rest, which is no folder"
exit "$failed"
