#!/usr/bin/env bash
# Each action of the hosted workflow is named by the hash of a commit, with its version beside it: a tag can be moved to other code.
# usage: actions.sh SOURCE_TREE
set -euo pipefail

workflows=$1/.github/workflows
mapfile -t uses < <(grep -rnE '^[[:space:]]*(-[[:space:]]+)?uses:' "$workflows")
((${#uses[@]})) || { echo "$workflows uses no action: is this the right folder?" >&2; exit 1; }
loose=$(printf '%s\n' "${uses[@]}" | grep -vE 'uses: (\./[^ ]*|[^ @]+@[0-9a-f]{40} # v[0-9.]+)$' || true)
if [[ -n $loose ]]; then
    printf '%s\n' "these actions need the hash of a commit and a comment with its version:" "$loose" >&2
    exit 1
fi
echo "${#uses[@]} uses of actions, all by the hash of a commit"
