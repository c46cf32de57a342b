#!/usr/bin/env bash
# static_program.sh TOOL AGENT: a program that is linked statically resolves host names, speaks TLS and synchronises, also where
# there is no file but its own and /etc/hosts, as in an image from scratch.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
agent=$2

if readelf -lW "$agent" | grep -q INTERP; then die "$agent needs a dynamic linker"; fi

cat >"$work/pod.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: one, namespace: default}
spec: {nodeName: node-1, containers: [{name: main, image: registry.example/web:1}]}
YAML
serve --load "$work/pod.yaml"
sed 's#https://127.0.0.1:#https://localhost:#' "$work/admin" >"$work/by_name"
grep -q localhost "$work/by_name" || die "the kubeconfig names no address"

start agent "$agent" "$work/by_name" node-1
expect agent '{"ready":true,"pods":1}'

sed 's#https://localhost:#https://kubecoro.invalid:#' "$work/by_name" >"$work/unknown"
said=$(timeout 3 "$agent" "$work/unknown" node-1 2>&1 || true)
[[ $said == *'look up kubecoro.invalid'* ]] || die "an unknown name: $said"

mkdir -p "$work/image/etc"
cp "$agent" "$work/image/agent"
cp "$work/by_name" "$work/image/kubeconfig"
echo '127.0.0.1 localhost' >"$work/image/etc/hosts"
if ! unshare --user --map-root-user true 2>/dev/null; then
    echo "not run in a folder of its own: no user namespaces here"
    exit
fi
start alone unshare --user --map-root-user --root="$work/image" /agent /kubeconfig node-1
expect alone '{"ready":true,"pods":1}'
