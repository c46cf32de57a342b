#!/usr/bin/env bash
# watch_several.sh TOOL: several resources and names in one watch, --once, --timestamps.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

cat >"$work/shop.yaml" <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: first, namespace: default}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: second, namespace: default}
---
apiVersion: v1
kind: Secret
metadata: {name: first, namespace: default}
YAML
serve --load "$work/shop.yaml"
export KUBECONFIG=$work/admin

said=$("$tool" watch cm,secrets --once) || die 'watch --once failed'
for pattern in '*configmap/default/first *initial*' '*configmap/default/second *initial*' '*secret/default/first *initial*' '*-- synced: 3 objects'; do
    # shellcheck disable=SC2053 # a glob by design
    [[ $said == $pattern ]] || die "no $pattern in: $said"
done
[[ $said == *'synced: 3 objects' ]] || die "more after the end: $said"
like '*{"time":"20??-??-??T??:??:??.???Z","type":"synced","objects":1}' "$tool" watch cm first --once --timestamps -o json

start both "$tool" watch cm/first secret/first
expect both '-- synced: 2 objects'
api PATCH /api/v1/namespaces/default/configmaps/second '{"data":{"a":"b"}}'
api PATCH /api/v1/namespaces/default/configmaps/first '{"data":{"a":"b"}}'
expect both 'updated *'
[[ $line == *configmap/default/first*'data'* ]] || die "another object: $line"
api DELETE /api/v1/namespaces/default/secrets/first
expect both 'deleted *secret/default/first*'
finish both INT

# One of several is refused: the watch ends, and says which.
fails '*forbidden*--keep-trying*secrets*' "$tool" watch cm,secrets --kubeconfig "$work/limited"
misuses '*-A*names*' "$tool" watch cm first -A
finish serve TERM
