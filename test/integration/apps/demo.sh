#!/usr/bin/env bash
# demo.sh TOOL DEMO: runs the demo fast: it relists after 410, resumes, and ends with equal states. DEMO: the same as a program.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

"$tool" demo --seconds 2 --no-colour >"$work/demo" 2>"$work/demo.err" || { cat "$work/demo"; die "the demo failed"; }
for pattern in 'synced: [0-9]* objects' 'all equal' 'reconnected [1-9][0-9]* watches' '7 of 7 informers listed again' '^events: [1-9]'; do
    grep -q "$pattern" "$work/demo" || { cat "$work/demo"; die "nothing like: $pattern"; }
done
[[ ! -s $work/demo.err ]] || die "the demo complains"

"$2" --seconds 1 --no-colour >"$work/program" 2>"$work/program.err" || { cat "$work/program"; die "the program of the demo failed"; }
grep -q 'all equal' "$work/program" || { cat "$work/program"; die "the program shows no comparison"; }
[[ ! -s $work/program.err ]] || die "the program of the demo complains"
misuses '*--colours*' "$2" --colours

# A user who may read one of the resources sees only that one; the others are named and left out.
start server "$tool" serve --kubeconfig-out "$work/admin" --limited-kubeconfig-out "$work/limited"
expect server 'listening on *'
"$tool" demo --kubeconfig "$work/limited" --seconds 1 --no-colour >"$work/limited.out" || die "the limited demo failed"
grep -q 'pods left out: forbidden' "$work/limited.out" || die "the refusal is not shown"
sed 's|^\( *token:\).*|\1 nobody|' "$work/admin" >"$work/nobody"
fails '*unauthorized*' "$tool" demo --kubeconfig "$work/nobody" --seconds 1 --no-colour
finish server TERM

# --keep continues, prints a kubeconfig, and ends with success on a signal.
start keep "$tool" demo --keep --seconds 1 --no-colour
expect keep '*--kubeconfig *'
kubeconfig=${line##*--kubeconfig }
kubeconfig=${kubeconfig%% *}
# The same, read-only, as on any cluster.
start reader "$tool" demo --kubeconfig "$kubeconfig" --no-colour
expect reader '*synced: *'
expect keep '*random work continues*'
finish reader INT
[[ $seen == *'all equal'* ]] || die "the reader differs: $seen"
finish keep INT
[[ $seen == *'all equal'* ]] || die "the demo differs: $seen"
[[ ! -e $kubeconfig ]] || die "$kubeconfig is left behind"
