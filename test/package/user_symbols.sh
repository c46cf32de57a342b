#!/usr/bin/env bash
# A user's file with one kind and its informer holds wrappers of handles alone: no engine, no I/O, no coroutine of the library is compiled again.
# Usage: user_symbols.sh SOURCE_DIRECTORY COMPILER KINDS_HEADERS
set -euo pipefail

source=$1 compiler=$2 kinds=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

includes=("-I$kinds")
for module in base api client cache; do includes+=("-I$source/lib/$module/include"); done
"$compiler" -std=c++20 -O0 "${includes[@]}" -c "$source/test/bench/types/users/one_kind.cpp" -o "$work/user.o"
nm -C --defined-only "$work/user.o" | cut -d' ' -f2- | grep '^[TWVu] ' >"$work/symbols"

grep -qF 'kubecoro::lister<kubecoro::core_v1::pod>' "$work/symbols" || { echo "the wrappers are missing: is this the right file?"; exit 1; }
engines='(informer_engine|reflector[a-z_]*|delta_fifo|delta_processor|store[a-z_]*|processor_listener|shared_processor|tape_[a-z_]*|struct_type)::'
if grep -E "kubecoro::(detail::)?$engines|boost::beast|asio::ssl|basic_stream_socket|basic_waitable_timer" "$work/symbols" | head -20 | grep .; then
    echo "these are compiled again in each file of a user"
    exit 1
fi
echo "$(wc -l <"$work/symbols") symbols, none of an engine"
