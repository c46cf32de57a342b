#!/usr/bin/env bash
# Writes an operator with the installed tool, builds it, runs its tests, and runs it beside `kubecoro serve`, as its README says.
# usage: new_operator.sh BUILD_TREE CMAKE [CMAKE_ARGUMENT..]
set -euo pipefail

build=$1 cmake=$2
shift 2
work=$(mktemp -d)
running=()
finish() {
    ((${#running[@]} == 0)) || kill "${running[@]}" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap finish EXIT
die() {
    printf '%s\n' "$1" >&2
    tail -20 "$work"/*.log >&2 || true
    exit 1
}

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || die "cannot install"
tool=$work/prefix/bin/kubecoro
cd "$work"
"$tool" new operator gadget-operator --kind Gadget --group shop.example.com
! "$tool" new operator gadget-operator --kind Gadget --group shop.example.com 2>"$work/again.log" || die "an existing folder was written to"
# A kind may be called like a type of the library. This one has webhooks.
"$tool" new operator action-operator --kind Action --group shop.example.com --webhooks
"$cmake" -S action-operator -B action-operator/build -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-Werror "$@"
"$cmake" --build action-operator/build --parallel 2
ctest --test-dir action-operator/build --output-on-failure
diff <(cd action-operator/manifests && cat webhooks.yaml && echo --- && cat rbac.yaml) \
    <(action-operator/build/action-operator --print-webhooks action-operator) || die "other webhooks than the program prints"
cd gadget-operator
"$cmake" -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-Werror "$@"
"$cmake" --build build --parallel 2
ctest --test-dir build --output-on-failure

# The test has compared it with what is declared; the program adds its flags.
diff manifests/rbac.yaml <(build/gadget-operator --print-rbac gadget-operator) || die "other rights than the program prints"

"$tool" serve --kubeconfig-out "$work/kubeconfig" --load crd.yaml >"$work/serve.log" 2>&1 &
running+=($!)
for ((i = 0; i < 1200; i++)); do
    [[ -s $work/kubeconfig ]] && break
    sleep 0.1
done
KUBECONFIG=$work/kubeconfig build/gadget-operator --metrics-address 127.0.0.1:0 --health-address 127.0.0.1:0 >"$work/operator.log" 2>&1 &
operator=$!
running+=("$operator")
"$tool" apply --kubeconfig "$work/kubeconfig" -f example.yaml || die "cannot apply the example"
"$tool" wait --kubeconfig "$work/kubeconfig" gadgets.shop.example.com/one --for=jsonpath='{.status.ready}'=true --timeout=5m ||
    die "the object never became ready"
[[ $("$tool" get --kubeconfig "$work/kubeconfig" configmaps one -o 'jsonpath={.data.message}') == hello ]] || die "no config map"
# Its README shows how to look at it.
cp "$work/kubeconfig" kubeconfig
read -ra look < <(sed -n 's/^ *kubecoro \(watch .*\)/\1/p' README.md)
"$tool" "${look[@]}" --once >"$work/watch.log" || die "kubecoro ${look[*]} fails"
grep -q "gadget.shop.example.com" "$work/watch.log" || die "kubecoro ${look[*]} shows no gadget"
# The rights and the deployment are objects that a server takes.
"$tool" apply --kubeconfig "$work/kubeconfig" -f manifests/operator.yaml -f manifests/rbac.yaml || die "cannot apply the manifests"
kill -TERM "$operator"
wait "$operator" || die "the operator did not stop with success"
