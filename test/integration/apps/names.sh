#!/usr/bin/env bash
# names.sh TOOL OBJECTS: a resource, built-in or custom, is found by every name known to discovery. OBJECTS: those of the demo.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

serve --load "$2"

for name in statefulsets statefulset sts StatefulSet statefulsets.apps statefulsets.v1.apps; do
    start watch "$tool" watch "$name" -n data -o json --kubeconfig "$work/admin"
    expect watch '{"type":"synced","objects":3}'
    finish watch INT
done
for name in campaigns campaign camp Campaign campaigns.shop.example.com; do
    start watch "$tool" watch "$name" -A -o json --kubeconfig "$work/admin"
    expect watch '{"type":"synced","objects":24}'
    finish watch TERM
done
# Cluster-scoped: no namespace, whatever the default.
start watch "$tool" watch crd -o json --kubeconfig "$work/admin"
expect watch '{"type":"synced","objects":1}'
finish watch INT
finish serve INT
