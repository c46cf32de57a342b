#!/usr/bin/env bash
# Shows english.sh a tree with each turn of phrase, with clean lines, with a moved file, and with one too many.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
export ENGLISH_COUNTS=$tree/english.txt
failed=0
complain() { echo "$*"; failed=1; }
lint() { bash "$here/english.sh" "$tree" "$@" 2>&1; }
mkdir -p "$tree/lib/base" "$tree/docs"
: >"$ENGLISH_COUNTS"

while IFS= read -r line; do
    printf '%s\n' "$line" >"$tree/lib/base/a.hpp"
    if lint >/dev/null; then complain "not noticed: $line"; fi
done <<'CPP'
/// What containers at some places were.
/// Who goes through the objects.
    int keys; ///< Of the keys whose objects have changed.
// Nobody's: false.
/** For whoever asks. */
// Begins anew.
/// Keys in work.
/* The caller is told. */
// A reader hears of it.
// After so many steps.
// Its text lies in the block.
// A number stands in the header.
TEST_CASE("queue: the worker is told")
CPP
rm "$tree/lib/base/a.hpp"
printf 'Text.\n\nWhat it does is this.\n' >"$tree/docs/a.md"
if lint >/dev/null; then complain "not noticed in Markdown"; fi

cat >"$tree/docs/a.md" <<'MD'
# What it does

What do you want? Never write `whoever`. A stub stands in for the server.

```
What is in a block of code
```
MD
cat >"$tree/lib/base/a.hpp" <<'CPP'
/// Returns what the server sent.
const char* text = "What is in work";
CPP
lint || complain "clean text was reported"

printf '// What is this.\n// Who is that.\n' >"$tree/lib/base/a.hpp"
printf '2 lib/base/a.hpp\n' >"$ENGLISH_COUNTS"
lint >/dev/null || complain "what is allowed was reported"
mkdir "$tree/lib/base/room"
mv "$tree/lib/base/a.hpp" "$tree/lib/base/room/b.hpp"
if lint >/dev/null; then complain "a moved file was not noticed"; fi
lint --update >/dev/null || complain "a moved file was not accepted"
lint >/dev/null || complain "a moved file was reported after the update"
printf '// What is this.\n' >"$tree/lib/base/room/b.hpp"
[[ $(lint) == *lower* ]] || complain "the lower count was not mentioned"
lint --update >/dev/null
printf '// What is this.\n// Who is that.\n' >"$tree/lib/base/room/b.hpp"
if lint --update >/dev/null; then complain "a risen sum was accepted"; fi
if lint >/dev/null; then complain "one too many was not noticed"; fi
exit "$failed"
