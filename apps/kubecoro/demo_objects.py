#!/usr/bin/env python3
"""Writes the objects of the demo as YAML: a small shop as stored in a cluster, including status and managed fields.

usage: demo_objects.py FILE
The build runs it and embeds the file. Everything is derived from names, so the file is the same on every machine.
"""
import hashlib
import json
import pathlib
import re
import sys

BASE_DAY = "2025-03-"

# namespace -> [(workload, replicas, port, image, role)]
DEPLOYMENTS = {
    "web": [("storefront", 24, 8080, "shop/storefront:4.12.0"), ("checkout", 10, 8081, "shop/checkout:2.8.3"),
            ("search", 18, 8082, "shop/search:7.1.0"), ("images", 8, 8083, "shop/images:1.4.9"),
            ("recommend", 10, 8084, "shop/recommend:0.21.4"), ("gateway", 6, 8443, "shop/gateway:3.0.2")],
    "shop": [("orders", 20, 9000, "shop/orders:5.5.1"), ("payments", 8, 9001, "shop/payments:3.3.0"),
             ("stock", 10, 9002, "shop/stock:6.0.7"), ("prices", 8, 9003, "shop/prices:2.2.2"),
             ("customers", 8, 9004, "shop/customers:4.4.0"), ("mailer", 4, 9005, "shop/mailer:1.9.1"),
             ("invoices", 4, 9006, "shop/invoices:1.2.8")],
    "jobs": [("scheduler", 2, 7000, "shop/scheduler:1.1.0"), ("worker-fast", 24, 7001, "shop/worker:3.7.0"),
             ("worker-slow", 12, 7001, "shop/worker:3.7.0")],
    "monitoring": [("grafana", 2, 3000, "grafana/grafana:11.2.0"), ("alerts", 3, 9093, "prom/alertmanager:v0.27.0"),
                   ("traces", 5, 4317, "jaegertracing/jaeger:2.1.0")],
    "kube-system": [("coredns", 3, 53, "registry.k8s.io/coredns/coredns:v1.12.0"),
                    ("metrics-server", 2, 10250, "registry.k8s.io/metrics-server/metrics-server:v0.7.2")],
}
STATEFUL_SETS = {"data": [("postgres", 5, 5432, "postgres:16.4"), ("redis", 6, 6379, "redis:7.4"),
                          ("kafka", 7, 9092, "apache/kafka:3.9.0")],
                 "monitoring": [("prometheus", 2, 9090, "prom/prometheus:v2.55.0")]}
DAEMON_SETS = {"kube-system": [("kube-proxy", 10256, "registry.k8s.io/kube-proxy:v1.32.4"),
                               ("node-agent", 9100, "quay.io/prometheus/node-exporter:v1.8.2")],
               "monitoring": [("log-shipper", 2020, "fluent/fluent-bit:3.1.9")]}
NAMESPACES = ["web", "shop", "jobs", "data", "monitoring", "kube-system"]
NODES = [f"node-{z}{i}" for z in "abc" for i in range(1, 5)]


def digest(*parts):
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()


def uid(*parts):
    h = digest("uid", *parts)
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:32]}"


def suffix(length, *parts):
    alphabet = "bcdfghjklmnpqrstvwxz2456789"
    h = int(digest("suffix", *parts), 16)
    return "".join(alphabet[(h >> (8 * i)) % len(alphabet)] for i in range(length))


def when(*parts, later=0):
    h = int(digest("time", *parts)[:8], 16)
    seconds = h % 80000 + later
    return f"{BASE_DAY}{1 + h % 20:02d}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}Z"


class Flow(dict):
    """A mapping written on one line: managed fields would otherwise fill half of each file."""


def scalar(value):
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int):
        return str(value)
    plain = re.fullmatch(r"[A-Za-z/][A-Za-z0-9_./-]*", value)
    if plain and value.lower() not in ("true", "false", "yes", "no", "on", "off", "null", "y", "n"):
        return value
    return json.dumps(value)


def emit(value, indent, out):
    pad = "  " * indent
    if isinstance(value, dict):
        for key, item in value.items():
            name = pad + scalar(key) + ":"
            if isinstance(item, Flow) or (not item and isinstance(item, (dict, list))):
                out.append(f"{name} {json.dumps(item, separators=(', ', ': '))}")
            elif isinstance(item, str) and "\n" in item:
                out.append(f"{name} |")
                out += [pad + "  " + line if line else "" for line in item.rstrip("\n").split("\n")]
            elif isinstance(item, (dict, list)):
                out.append(name)
                emit(item, indent + (0 if isinstance(item, list) else 1), out)
            else:
                out.append(f"{name} {scalar(item)}")
    else:
        for item in value:
            if isinstance(item, (dict, list)):
                inner = []
                emit(item, indent + 1, inner)
                inner[0] = pad + "- " + inner[0][len(pad) + 2:]
                out += inner
            else:
                out.append(f"{pad}- {scalar(item)}")


def manage(manager, operation, api_version, time, fields, subresource=None):
    entry = {"manager": manager, "operation": operation, "apiVersion": api_version, "time": time,
             "fieldsType": "FieldsV1", "fieldsV1": Flow(fields)}
    if subresource:
        entry["subresource"] = subresource
    return entry


def fields_of(value):
    """A FieldsV1 set that owns every field of a value."""
    if isinstance(value, dict) and value:
        return {f"f:{key}": fields_of(item) for key, item in value.items()}
    if isinstance(value, list) and value and all(isinstance(i, dict) for i in value):
        merge = next((k for k in ("uid", "name", "type", "containerPort", "port", "ip") if k in value[0]), None)
        if merge:
            return {f"k:{json.dumps({merge: i[merge]}, separators=(',', ':'))}": {".": {}, **fields_of(i)} for i in value}
    return {}


def meta(kind, ns, name, labels=None, owner=None, annotations=None, generation=None):
    m = {"name": name}
    if ns:
        m["namespace"] = ns
    m["uid"] = uid(kind, ns, name)
    if generation:
        m["generation"] = generation
    m["creationTimestamp"] = when(kind, ns, name)
    if labels:
        m["labels"] = labels
    if annotations:
        m["annotations"] = annotations
    if owner:
        api, owner_kind, owner_name = owner
        m["ownerReferences"] = [{"apiVersion": api, "kind": owner_kind, "name": owner_name,
                                 "uid": uid(owner_kind, ns, owner_name), "controller": True, "blockOwnerDeletion": True}]
    return m


def container(ns, app, port, image):
    probe = {"httpGet": {"path": "/healthz", "port": port, "scheme": "HTTP"}, "timeoutSeconds": 2, "periodSeconds": 10,
             "successThreshold": 1, "failureThreshold": 3}
    return {
        "name": app,
        "image": image,
        "args": [f"--listen=:{port}", "--log-format=json", "--config=/etc/" + app + "/app.yaml"],
        "ports": [{"name": "main", "containerPort": port, "protocol": "TCP"}],
        "envFrom": [{"configMapRef": {"name": app + "-env"}}],
        "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
                {"name": "POD_IP", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}},
                {"name": "API_TOKEN", "valueFrom": {"secretKeyRef": {"name": app + "-token", "key": "token", "optional": True}}},
                {"name": "OTEL_EXPORTER_OTLP_ENDPOINT", "value": "http://traces.monitoring.svc:4317"}],
        "resources": {"limits": {"cpu": "1", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "volumeMounts": [{"name": "config", "readOnly": True, "mountPath": "/etc/" + app},
                         {"name": "scratch", "mountPath": "/tmp"}],
        "livenessProbe": probe,
        "readinessProbe": dict(probe, periodSeconds=5),
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
        "securityContext": {"capabilities": {"drop": ["ALL"]}, "runAsNonRoot": True, "readOnlyRootFilesystem": True,
                            "allowPrivilegeEscalation": False},
    }


def pod_spec(ns, app, port, image):
    return {
        "volumes": [{"name": "config", "configMap": {"name": app + "-config", "defaultMode": 420}},
                    {"name": "scratch", "emptyDir": {"sizeLimit": "1Gi"}}],
        "containers": [container(ns, app, port, image)],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "default",
        "schedulerName": "default-scheduler",
        "securityContext": {"fsGroup": 2000},
    }


def template(ns, app, port, image, labels):
    return {"metadata": {"labels": labels, "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": str(port)}},
            "spec": pod_spec(ns, app, port, image)}


def pod(ns, name, app, port, image, owner, labels, node, extra=None):
    m = meta("Pod", ns, name, labels, owner, {"prometheus.io/scrape": "true", "prometheus.io/port": str(port)})
    spec = pod_spec(ns, app, port, image)
    n = NODES.index(node)
    ip = f"10.244.{n}.{int(digest('ip', ns, name)[:4], 16) % 250 + 2}"
    started = when("Pod", ns, name, later=4)
    managed = manage("kube-controller-manager", "Update", "v1", m["creationTimestamp"],
                     {"f:metadata": fields_of({"labels": labels, "ownerReferences": m["ownerReferences"]}),
                      "f:spec": fields_of(spec)})
    spec["volumes"].append({"name": "kube-api-access-" + suffix(5, ns, name), "projected": {"defaultMode": 420, "sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]}})
    spec["nodeName"] = node
    if extra:
        spec.update(extra)
    spec["tolerations"] = [{"key": f"node.kubernetes.io/{k}", "operator": "Exists", "effect": "NoExecute",
                            "tolerationSeconds": 300} for k in ("not-ready", "unreachable")]
    broken = int(digest("health", ns, name)[:4], 16) % 41 == 0
    ready = "False" if broken else "True"
    conditions = [{"type": t, "status": ready if t in ("Ready", "ContainersReady") else "True", "lastProbeTime": None,
                   "lastTransitionTime": started}
                  for t in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")]
    state = {"waiting": {"reason": "CrashLoopBackOff", "message": f"back-off 5m0s restarting failed container={app} pod={name}_{ns}({m['uid']})"}} \
        if broken else {"running": {"startedAt": started}}
    status = {"phase": "Running", "conditions": conditions, "hostIP": f"192.168.10.{n + 11}",
              "hostIPs": [{"ip": f"192.168.10.{n + 11}"}], "podIP": ip, "podIPs": [{"ip": ip}],
              "startTime": m["creationTimestamp"], "qosClass": "Burstable",
              "containerStatuses": [{"name": app, "state": state, "lastState": {}, "ready": not broken,
                                     "restartCount": 17 if broken else 0, "image": image,
                                     "imageID": image.split(":")[0] + "@sha256:" + digest("image", image),
                                     "containerID": "containerd://" + digest("container", ns, name), "started": not broken}]}
    m["managedFields"] = [managed, manage("kubelet", "Update", "v1", started, {"f:status": fields_of(
        {k: v for k, v in status.items() if k not in ("phase", "qosClass", "hostIPs")})}, "status")]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": m, "spec": spec, "status": status}


def simple(api, kind, ns, name, labels=None, **body):
    return {"apiVersion": api, "kind": kind, "metadata": meta(kind, ns, name, labels), **body}


def support(ns, app, port, labels, headless=False):
    """The objects that accompany every workload: configuration, environment, service."""
    text = (f"# {app}\nlisten: {port}\nlog: {{level: info, format: json}}\nfeatures:\n"
            + "".join(f"  {w}: {'on' if int(digest(app, w)[:2], 16) % 2 else 'off'}\n" for w in ("beta-basket", "fast-search", "new-prices", "dark-mode"))
            + f"upstreams:\n  orders: http://orders.shop.svc:9000\n  stock: http://stock.shop.svc:9002\n")
    service_spec = {"type": "ClusterIP", "selector": labels, "ports": [{"name": "main", "port": port, "protocol": "TCP", "targetPort": "main"}],
                    "sessionAffinity": "None"}
    if headless:
        service_spec["clusterIP"] = "None"
    return [simple("v1", "ConfigMap", ns, app + "-config", labels, data={"app.yaml": text, "version": digest("version", app)[:12]}),
            simple("v1", "ConfigMap", ns, app + "-env", labels, data={"REGION": "north", "TIER": ns, "CACHE_TTL": "30s"}),
            simple("v1", "Service", ns, app, labels, spec=service_spec)]


def deployment(ns, app, replicas, port, image):
    labels = {"app": app, "tier": ns}
    hash_new, hash_old = suffix(10, ns, app, image), suffix(10, ns, app, "old")
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template(ns, app, port, image, labels),
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
            "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600}
    d = simple("apps/v1", "Deployment", ns, app, labels, spec=spec,
               status={"observedGeneration": 2, "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas,
                       "availableReplicas": replicas, "conditions": [
                           {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
                           {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}]})
    d["metadata"]["generation"] = 2
    d["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": "2"}
    d["metadata"]["managedFields"] = [manage("kubectl-client-side-apply", "Update", "apps/v1",
                                             d["metadata"]["creationTimestamp"], {"f:spec": fields_of(spec)})]
    sets, pods = [], []
    for revision, (h, count) in enumerate([(hash_old, 0), (hash_new, replicas)], 1):
        full = dict(labels, **{"pod-template-hash": h})
        rs = {"apiVersion": "apps/v1", "kind": "ReplicaSet",
              "metadata": meta("ReplicaSet", ns, f"{app}-{h}", full, ("apps/v1", "Deployment", app),
                               {"deployment.kubernetes.io/revision": str(revision)}, 1),
              "spec": {"replicas": count, "selector": {"matchLabels": full}, "template": template(ns, app, port, image, full)},
              "status": {"observedGeneration": 1, "replicas": count, "readyReplicas": count, "availableReplicas": count}}
        sets.append(rs)
        for i in range(count):
            name = f"{app}-{h}-{suffix(5, ns, app, i)}"
            node = NODES[(int(digest(ns, app)[:4], 16) + i) % len(NODES)]
            pods.append(pod(ns, name, app, port, image, ("apps/v1", "ReplicaSet", f"{app}-{h}"), full, node))
    return [d] + sets, pods, support(ns, app, port, labels)


def stateful_set(ns, app, replicas, port, image):
    labels = {"app": app, "tier": ns}
    s = simple("apps/v1", "StatefulSet", ns, app, labels,
               spec={"serviceName": app, "replicas": replicas, "selector": {"matchLabels": labels},
                     "template": template(ns, app, port, image, labels), "podManagementPolicy": "OrderedReady"},
               status={"observedGeneration": 1, "replicas": replicas, "readyReplicas": replicas, "currentReplicas": replicas})
    s["metadata"]["generation"] = 1
    pods = [pod(ns, f"{app}-{i}", app, port, image, ("apps/v1", "StatefulSet", app),
                dict(labels, **{"statefulset.kubernetes.io/pod-name": f"{app}-{i}"}), NODES[(i * 5) % len(NODES)],
                {"hostname": f"{app}-{i}", "subdomain": app}) for i in range(replicas)]
    return [s], pods, support(ns, app, port, labels, headless=True)


def daemon_set(ns, app, port, image):
    labels = {"app": app}
    count = len(NODES)
    d = simple("apps/v1", "DaemonSet", ns, app, labels,
               spec={"selector": {"matchLabels": labels}, "template": template(ns, app, port, image, labels),
                     "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}},
               status={"observedGeneration": 1, "currentNumberScheduled": count, "desiredNumberScheduled": count,
                       "numberReady": count, "numberMisscheduled": 0})
    d["metadata"]["generation"] = 1
    pods = [pod(ns, f"{app}-{suffix(5, ns, app, node)}", app, port, image, ("apps/v1", "DaemonSet", app), labels, node,
                {"hostNetwork": True, "priorityClassName": "system-node-critical"}) for node in NODES]
    return [d], pods, support(ns, app, port, labels)


def node(name):
    i = NODES.index(name)
    beat = when("Node", name, later=600)
    size = {"cpu": "16", "memory": "65855668Ki", "pods": "110", "ephemeral-storage": "205374420Ki"}
    images = sorted({w[-1] for group in (DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS) for ws in group.values() for w in ws})
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
              "topology.kubernetes.io/zone": "zone-" + name[5], "node.kubernetes.io/instance-type": "c16m64"}
    conditions = [{"type": t, "status": s, "reason": r, "message": m, "lastHeartbeatTime": beat, "lastTransitionTime": when("Node", name)}
                  for t, s, r, m in (("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                                     ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                                     ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                                     ("Ready", "True", "KubeletReady", "kubelet is posting ready status"))]
    return simple("v1", "Node", "", name, labels, spec={"podCIDR": f"10.244.{i}.0/24", "providerID": f"demo:///{name}"},
                  status={"capacity": size, "allocatable": dict(size, cpu="15800m"), "conditions": conditions,
                          "addresses": [{"type": "InternalIP", "address": f"192.168.10.{i + 11}"}, {"type": "Hostname", "address": name}],
                          "nodeInfo": {"kubeletVersion": "v1.32.4", "osImage": "Debian GNU/Linux 12 (bookworm)", "kernelVersion": "6.1.0-31-amd64",
                                       "containerRuntimeVersion": "containerd://1.7.24", "operatingSystem": "linux", "architecture": "amd64"},
                          "images": [{"names": [im], "sizeBytes": 20_000_000 + int(digest(im)[:6], 16) * 7} for im in images]})


def lease(name):
    return simple("coordination.k8s.io/v1", "Lease", "kube-system", "kubelet-" + name,
                  spec={"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": when("lease", name)[:-1] + ".000000Z"})


def job(ns, name, cron):
    j = simple("batch/v1", "Job", ns, name, {"app": cron}, spec={"parallelism": 1, "completions": 1, "backoffLimit": 6, "template": {
        "metadata": {"labels": {"app": cron}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "shop/tools:1.0"}]}}},
        status={"succeeded": 1, "startTime": when(name), "completionTime": when(name, later=40),
                "conditions": [{"type": "Complete", "status": "True"}]})
    j["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "CronJob", "name": cron, "uid": uid("CronJob", ns, cron),
                                         "controller": True}]
    return j


def cron_job(ns, name, schedule):
    return simple("batch/v1", "CronJob", ns, name, {"app": name}, spec={
        "schedule": schedule, "concurrencyPolicy": "Forbid", "successfulJobsHistoryLimit": 3, "jobTemplate": {"spec": {"template": {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "shop/tools:1.0", "args": [name]}]}}}}},
        status={"lastScheduleTime": when(name)})


def crd():
    text, number = {"type": "string"}, {"type": "integer"}
    schema = {"type": "object", "properties": {
        "spec": {"type": "object", "required": ["discount"], "properties": {
            "discount": dict(number, minimum=1, maximum=90), "region": text, "channels": {"type": "array", "items": text},
            "budget": {"type": "object", "properties": {"currency": text, "amount": number}}}},
        "status": {"type": "object", "properties": {"phase": text, "redeemed": number, "observedGeneration": number}}}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "campaigns.shop.example.com", "uid": uid("crd")}, "spec": {
                "group": "shop.example.com", "scope": "Namespaced",
                "names": {"plural": "campaigns", "singular": "campaign", "kind": "Campaign", "listKind": "CampaignList",
                          "shortNames": ["camp"], "categories": ["all"]},
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
                              "subresources": {"status": {}}, "additionalPrinterColumns": [
                                  {"name": "Discount", "type": "integer", "jsonPath": ".spec.discount"},
                                  {"name": "Phase", "type": "string", "jsonPath": ".status.phase"}]}]}}


def campaign(i):
    season = ["spring", "summer", "autumn", "winter"][i % 4]
    name = f"{season}-{['books', 'shoes', 'garden', 'music', 'toys', 'tools'][i // 4]}"
    c = simple("shop.example.com/v1", "Campaign", "shop", name, {"season": season},
               spec={"discount": 5 + i * 2, "region": ["north", "south"][i % 2], "channels": ["mail", "web", "app"][: i % 3 + 1],
                     "budget": {"currency": "EUR", "amount": 1000 * (i + 1)}},
               status={"phase": "Running" if i % 5 else "Planned", "redeemed": i * 37, "observedGeneration": 1})
    c["metadata"]["generation"] = 1
    return c


def shop():
    """All objects, in the order in which they are loaded."""
    yield from (simple("v1", "Namespace", "", n, {"kubernetes.io/metadata.name": n}, spec={"finalizers": ["kubernetes"]},
                       status={"phase": "Active"}) for n in NAMESPACES if n != "kube-system")
    yield crd()
    yield from map(node, NODES)
    yield from map(lease, NODES)
    workloads = {n: ([], [], []) for n in sorted(NAMESPACES)}
    for make, table in ((deployment, DEPLOYMENTS), (stateful_set, STATEFUL_SETS), (daemon_set, DAEMON_SETS)):
        for ns, entries in table.items():
            for entry in entries:
                for target, objects in zip(workloads[ns], make(ns, *entry)):
                    target += objects
    for ns, (owners, _, around) in workloads.items():
        yield from [simple("v1", "ServiceAccount", ns, "default")] + around + owners
    for _, pods, _ in workloads.values():
        yield from pods
    crons = [("nightly-report", "0 2 * * *"), ("stock-sync", "*/15 * * * *"), ("cleanup", "30 4 * * 0")]
    yield from (cron_job("jobs", *c) for c in crons)
    yield from (job("jobs", f"{c}-{29000000 + 15 * i}", c) for c, _ in crons for i in range(3))
    yield from map(campaign, range(24))


def main():
    out = []
    for obj in shop():
        out.append("---")
        emit(obj, 0, out)
    pathlib.Path(sys.argv[1]).write_text("\n".join(out) + "\n")


main()
