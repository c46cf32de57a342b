#!/usr/bin/env bash
# config_reloader_memory.sh TOOL OPERATOR [DEPLOYMENTS CONFIG_MAPS SECRETS PODS]: the operator in a cluster of that size.
# Every fifth Deployment opts in and reads two ConfigMaps and a Secret. The operator must check each of them; the script prints
# the memory it needed and accepts any amount. As a test it runs with small numbers.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=scrape.sh
. "$(dirname "$0")/scrape.sh"
operator=$2 deployments=${3:-40} config_maps=${4:-80} secrets=${5:-40} pods=${6:-100}

# list COUNT TEMPLATE: prints a list of COUNT objects. In the template # is the number of each, ASKS is true for every fifth,
# FIRST, SECOND and THIRD are the numbers of the contents that it reads.
list() {
    # Passed in the environment, because awk would remove the backslashes of a variable.
    template=$2 awk -v count="$1" -v maps="$config_maps" -v secrets="$secrets" 'BEGIN {
        printf "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":["
        for (i = 0; i < count; ++i) {
            text = ENVIRON["template"]
            gsub(/#/, i, text)
            sub(/ASKS/, i % 5 == 0 ? "true" : "false", text)
            gsub(/FIRST/, (2 * i) % maps, text)
            gsub(/SECOND/, (2 * i + 1) % maps, text)
            gsub(/THIRD/, i % secrets, text)
            printf "%s%s", i ? "," : "", text
        }
        print "]}"
    }'
}

# Fields of a real object that a server and kubectl add.
fields='"managedFields":[{"manager":"kubectl","operation":"Apply","apiVersion":"v1","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{"f:team":{}},"f:labels":{"f:app":{},"f:tier":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:env":{},"f:image":{},"f:name":{},"f:resources":{"f:limits":{"f:cpu":{},"f:memory":{}}}}}}}}}}]'
probe='{"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"initialDelaySeconds":10,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3}'
value=$(printf 'setting.with.a.name=%.0sand a value of some length\\n' {1..20})
mkdir "$work/objects"
list "$deployments" '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop-#","namespace":"web","labels":{"app":"shop-#","tier":"front"},"annotations":{"config-reloader.kubecoro.dev/reload":"ASKS","team":"shop"},'"$fields"'},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"shop-#"}},"template":{"metadata":{"labels":{"app":"shop-#"}},"spec":{"containers":[{"name":"main","image":"example.com/shop:#","livenessProbe":'"$probe"',"readinessProbe":'"$probe"',"resources":{"limits":{"cpu":"1","memory":"1Gi"}},"env":[{"name":"NUMBER","value":"#"},{"name":"LEVEL","valueFrom":{"configMapKeyRef":{"name":"settings-FIRST","key":"text"}}}],"envFrom":[{"secretRef":{"name":"password-THIRD"}}]}],"volumes":[{"name":"more","configMap":{"name":"settings-SECOND"}}]}}},"status":{"replicas":3,"readyReplicas":3}}' >"$work/objects/deployments.json"
list "$config_maps" '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings-#","namespace":"web","labels":{"app":"shop-#"},'"$fields"'},"data":{"text":"'"$value"'","number":"#"}}' >"$work/objects/config-maps.json"
list "$secrets" '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"password-#","namespace":"web",'"$fields"'},"data":{"p":"c3VycHJpc2U="}}' >"$work/objects/secrets.json"
list "$pods" '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"shop-#","namespace":"web","labels":{"app":"shop"}},"spec":{"containers":[{"name":"main","image":"example.com/shop"}]}}' >"$work/objects/pods.json"

EXPECT_WITHIN=600
serve --load "$work/objects"
# shellcheck disable=SC2016 # the inner shell's
start operator bash -c 'exec "$@" 2>&1' -- "$operator" --kubeconfig "$work/admin" \
    --adopt record --leader-election-namespace default --metrics-address 127.0.0.1:0 --health-address 127.0.0.1:0
expect operator '*127.0.0.1:*/metrics*'
port=${line##*127.0.0.1:}
port=${port%%[!0-9]*}
for ((i = 0; i < deployments; i += 5)); do expect operator '*recorded: first seen*'; done

memory() { awk -v name="$1:" '$1 == name { printf "%.1f MB", $2 / 1024 }' "/proc/${pid_of[operator]}/status"; }
echo "$deployments Deployments, $config_maps ConfigMaps, $secrets Secrets, $pods pods: $(memory VmRSS), at most $(memory VmHWM)"
asked=$(((deployments + 4) / 5))
counts config_reloader_outcomes_total outcome recorded $asked
counts config_reloader_outcomes_total outcome rolled 0
counts config_reloader_outcomes_total outcome adopted 0
finish operator TERM
echo "$asked Deployments were managed"
finish serve TERM
