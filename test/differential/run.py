#!/usr/bin/env python3
"""Compares the embedded API server with a kube-apiserver, over definitions and objects of other projects.

usage: run.py --embedded KUBECONFIG --cluster KUBECONFIG --kubectl KUBECTL --corpus FOLDER [--accepted FILE] [--only TEXT] [--mutations N]

The folder holds `definitions.jsonl.zst` and `objects.jsonl.zst`, an object a line. Every definition and object is sent to both servers
in the same way, and the answers must be equal: code, reason, causes, warnings, and the object itself with what differs by nature masked.
Status 1: there is a difference that the file does not accept, or one that it accepts and that does not occur.
"""
import argparse
import base64
import copy
import http.client
import json
import random
import re
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zlib

NAMESPACE = "differential"
BATCH = 60
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
JSON = "application/json"
APPLY = "application/apply-patch+yaml"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"


class Server:
    def __init__(self, kubectl, kubeconfig):
        view = subprocess.run([kubectl, "--kubeconfig", kubeconfig, "config", "view", "--raw", "--minify", "-o", "json"], check=True, capture_output=True)
        config = json.loads(view.stdout)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.address = urllib.parse.urlsplit(cluster["server"])
        self.token = user["token"]
        with tempfile.NamedTemporaryFile() as ca:
            ca.write(base64.b64decode(cluster["certificate-authority-data"]))
            ca.flush()
            self.tls = ssl.create_default_context(cafile=ca.name)
        self.connection = None

    def send(self, method, target, body=None, content_type=JSON, accept=JSON):
        headers = {"Authorization": "Bearer " + self.token, "Accept": accept, "User-Agent": "differential"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = content_type
        for attempt in range(3):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPSConnection(self.address.hostname, self.address.port, context=self.tls, timeout=60)
                self.connection.request(method, target, data, headers)
                answer = self.connection.getresponse()
                text = answer.read()
                return Answer(answer.status, answer.headers.get_all("Warning") or [], text)
            except (http.client.HTTPException, OSError):
                self.connection.close()
                self.connection = None
                if attempt == 2:
                    raise


class Answer:
    def __init__(self, code, warnings, text):
        self.code = code
        self.warnings = sorted(json.loads(w.removeprefix("299 - ")) for w in warnings)
        try:
            self.body = json.loads(text)
        except ValueError:
            self.body = {"text": text.decode(errors="replace")}


def masked(value, path=()):
    """Without what differs by nature: uids, versions, times."""
    if isinstance(value, dict):
        out = {}
        for key, item in value.items():
            if key in ("uid", "resourceVersion", "creationTimestamp", "lastTransitionTime", "selfLink") and not isinstance(item, dict):
                item = "*" if item not in (None, "") else item
            elif key == "time" and "managedFields" in path:
                item = "*"
            elif path and path[-1] == "columnDefinitions" and key == "description":
                continue
            elif key == "cells" and isinstance(item, list):
                item = [re.sub(r"^\d+[smhdy](\d+[smhd])?$", "age", cell) if isinstance(cell, str) else cell for cell in item]
            else:
                item = masked(item, path + (key,))
            out[key] = item
        return out
    if isinstance(value, list):
        items = [masked(item, path) for item in value]
        if path and path[-1] in ("managedFields", "conditions"):
            items.sort(key=lambda item: json.dumps(item, sort_keys=True))
        return items
    return value


def same(a, b):
    """As JSON: true is not 1, and 1.0 is not 1."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


def paths_that_differ(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key not in a:
                yield path + "." + key, "absent", b[key]
            elif key not in b:
                yield path + "." + key, a[key], "absent"
            else:
                yield from paths_that_differ(a[key], b[key], path + "." + key)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (one, other) in enumerate(zip(a, b)):
            yield from paths_that_differ(one, other, path + "[]")
    elif not same(a, b):
        yield path, a, b


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def lines_in_order(text):
    """Go names the problems of a configuration in any order."""
    return sorted((text or "").splitlines())


def short(value):
    text = text_of(value)
    return text if len(text) < 160 else text[:160] + "..."


class Comparison:
    def __init__(self, embedded, cluster, accepted):
        self.embedded, self.cluster = embedded, cluster
        self.accepted = accepted
        self.count = 0
        self.differences = {}

    def note(self, step, subject, what, embedded, cluster):
        line = f"{step} {what}: embedded {short(embedded)} | cluster {short(cluster)}"
        whole = f"{step} {what}: embedded {embedded} | cluster {cluster} @ {subject}"
        for rule in self.accepted:
            if rule["pattern"].search(whole):
                rule["used"] += 1
                return
        self.differences.setdefault(f"{step} {what}", []).append((subject, line))

    def define(self, definition):
        """Whether both have accepted the definition."""
        name = name_of(definition)
        self.send("definition strict", name, "POST", CRDS + "?fieldValidation=Strict&dryRun=All", definition)
        return max(a.code for a in self.send("definition", name, "POST", CRDS, definition)) < 300

    def send(self, step, subject, method, target, body=None, content_type=JSON, accept=JSON):
        self.count += 1
        one = self.embedded.send(method, target, body, content_type, accept)
        other = self.cluster.send(method, target, body, content_type, accept)
        self.compare(step, subject, one, other)
        return one, other

    def compare(self, step, subject, one, other):
        if one.code != other.code:
            return self.note(step, subject, "code", f"{one.code} {one.body.get('message', '')}", f"{other.code} {other.body.get('message', '')}")
        for said, heard, what in ((one, other, "only in embedded"), (other, one, "only in cluster")):
            for warning in said.warnings:
                if warning not in heard.warnings:
                    self.note(step, subject, "warning " + what, warning if said is one else "-", warning if said is other else "-")
        if one.code >= 400:
            for key in ("reason", "message"):
                if key == "message" and one.code == 422:
                    continue  # the causes in another order
                if lines_in_order(one.body.get(key)) != lines_in_order(other.body.get(key)):
                    self.note(step, subject, key, one.body.get(key), other.body.get(key))
            causes = [sorted({(c.get("field", ""), c.get("reason", ""), c.get("message", "")) for c in a.body.get("details", {}).get("causes", [])})
                      for a in (one, other)]
            for cause in causes[0]:
                if cause not in causes[1]:
                    self.note(step, subject, "cause only in embedded", " ".join(cause), "-")
            for cause in causes[1]:
                if cause not in causes[0]:
                    self.note(step, subject, "cause only in cluster", "-", " ".join(cause))
            return
        a, b = masked(one.body), masked(other.body)
        if not same(a, b):
            for path, mine, theirs in paths_that_differ(a, b):
                where = re.sub(r"^\.(spec|status|metadata)\b.*", r".\1", path)
                self.note(step, subject, "object" + where, f"{path}={text_of(mine)}", text_of(theirs))


def without_conversion_webhooks(definition, used):
    """Nobody answers the webhooks that definitions of the corpus name."""
    spec = definition.get("spec")
    if not isinstance(spec, dict) or not isinstance(spec.get("conversion"), dict) or spec["conversion"].get("strategy") != "Webhook":
        return definition
    used["conversion webhooks"] += 1
    return definition | {"spec": {key: value for key, value in spec.items() if key != "conversion"}}


def places_in(value, path=()):
    """All members and items below the metadata."""
    items = sorted(value.items()) if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        if path == () and key in ("apiVersion", "kind", "metadata"):
            continue
        yield path + (key,)
        yield from places_in(item, path + (key,))


def mutated(body, rng):
    """Changes one value: another type, another number, null, unknown members, repeated items, nothing."""
    out = copy.deepcopy(body)
    places = list(places_in(out))
    if not places:
        return out
    place = rng.choice(places)
    parent = out
    for key in place[:-1]:
        parent = parent[key]
    key, value = place[-1], parent[place[-1]]
    choices = [None, "", "x" * 70, "é\u2028", 0, -1, 1.5, 10.0, 1 << 40, True, [], {}, [value], [value, value], {"unknown": 1}, {"a": value}]
    if isinstance(value, dict):
        choices += [dict(value, unknownField=1)] * 3
    if isinstance(value, list) and value:
        choices += [value + [value[-1]], value[::-1], value + [None]] * 2
    if isinstance(value, str):
        choices += [value.upper(), value + " ", value + "/x"] * 2
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        choices += [value + 0.0, -value, value * 1000, str(value)] * 2
    change = rng.randrange(len(choices) + 3)
    if change >= len(choices):
        del parent[key]
    else:
        parent[key] = choices[change]
    return out


class Subject:
    """One object, and the requests that are made of it."""

    def __init__(self, comparison, definition, body, number):
        self.c = comparison
        spec = definition["spec"]
        self.body = body
        self.name = f"o{number}"
        self.label = f"{body.get('kind')}.{body.get('apiVersion')} {number}"
        version = body["apiVersion"].partition("/")[2]
        scope = f"/namespaces/{NAMESPACE}" if spec["scope"] == "Namespaced" else ""
        self.collection = f"/apis/{spec['group']}/{version}{scope}/{spec['names']['plural']}"
        self.namespaced = bool(scope)
        self.rng = random.Random(zlib.crc32(json.dumps(body, sort_keys=True).encode()))

    def named(self, body, name):
        out = copy.deepcopy(body)
        metadata = out.get("metadata")
        if not isinstance(metadata, dict):
            metadata = out["metadata"] = {}
        metadata["name"] = name
        metadata.pop("generateName", None)
        if self.namespaced:
            metadata["namespace"] = NAMESPACE
        for key in ("uid", "resourceVersion", "ownerReferences"):
            metadata.pop(key, None)
        return out

    def send(self, step, method, target, body=None, **more):
        return self.c.send(step, self.label, method, target, body, **more)

    def apply(self, step, name, manager, body, query=""):
        return self.send(step, "PATCH", f"{self.collection}/{name}?fieldManager={manager}{query}", self.named(body, name), content_type=APPLY)

    def run(self, mutations):
        strict, lenient, applied = (self.name + suffix for suffix in ("s", "l", "a"))
        self.send("create strict", "POST", self.collection + "?fieldValidation=Strict", self.named(self.body, strict))
        made = self.send("create", "POST", self.collection, self.named(self.body, lenient))
        for name, answers in ((lenient, made), (applied, self.apply("apply", applied, "one", self.body, "&fieldValidation=Strict"))):
            if max(a.code for a in answers) >= 300:
                continue
            self.send("table", "GET", f"{self.collection}/{name}", accept=TABLE)
        if max(a.code for a in answers) < 300:
            self.repeat("apply again", applied, "one", self.body, answers)
            other = mutated(self.body, self.rng)
            self.apply("apply by another", applied, "two", other)
            self.apply("apply by another, forced", applied, "two", other, "&force=true")
            self.apply("apply less", applied, "two", mutated(other, self.rng), "&force=true")
        if max(a.code for a in made) < 300:
            for i in range(mutations):
                self.update(lenient)
        for i in range(mutations):
            self.send("create mutated", "POST", self.collection + "?dryRun=All&fieldValidation=" + self.rng.choice(("Strict", "Warn")),
                      self.named(mutated(self.body, self.rng), f"{self.name}m{i}"))
        for name in (strict, lenient, applied):
            for server in (self.c.embedded, self.c.cluster):
                # A finalizer would keep the object, and with it the definition, for the next run.
                server.send("PATCH", f"{self.collection}/{name}", {"metadata": {"finalizers": None}}, "application/merge-patch+json")
                server.send("DELETE", f"{self.collection}/{name}?propagationPolicy=Background")

    def repeat(self, step, name, manager, body, before):
        after = self.apply(step, name, manager, body)
        unchanged = [a.body.get("metadata", {}).get("resourceVersion") == b.body.get("metadata", {}).get("resourceVersion") for a, b in zip(before, after)]
        if unchanged[0] != unchanged[1]:
            self.c.note(step, self.label, "resourceVersion", "same" if unchanged[0] else "another", "same" if unchanged[1] else "another")

    def update(self, name):
        """Replaces the object by a mutation of what each server has."""
        target = f"{self.collection}/{name}"
        now = [server.send("GET", target) for server in (self.c.embedded, self.c.cluster)]
        if max(a.code for a in now) >= 300 or not same(masked(now[0].body), masked(now[1].body)):
            return  # reported where it began
        seed = self.rng.getrandbits(32)
        answers = []
        for server, present in zip((self.c.embedded, self.c.cluster), now):
            body = mutated(present.body, random.Random(seed))
            answers.append(server.send("PUT", target + "?fieldValidation=" + ("Strict" if seed % 2 else "Warn"), body))
        self.c.count += 1
        self.c.compare("update mutated", self.label, *answers)


def name_of(body):
    metadata = body.get("metadata")
    return str(metadata.get("name")) if isinstance(metadata, dict) else "none"


def lines_of(file):
    text = subprocess.run(["zstd", "-dcq", file], check=True, capture_output=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def await_served(comparison, definitions):
    """Both servers serve what they have accepted."""
    for server in (comparison.embedded, comparison.cluster):
        for definition in definitions:
            spec = definition["spec"]
            served = [v["name"] for v in spec["versions"] if v.get("served")]
            for version in served[:1]:
                for _ in range(600):
                    if server.send("GET", f"/apis/{spec['group']}/{version}/{spec['names']['plural']}?limit=1").code == 200:
                        break
                    time.sleep(0.1)
                else:
                    raise SystemExit(f"not served: {definition['metadata']['name']}")


def read_accepted(file):
    rules = []
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                pattern, _, reason = line.rstrip("\n").partition("\t")
                if not reason:
                    raise SystemExit(f"{file}: no reason: {line}")
                rules.append({"text": pattern, "pattern": re.compile(pattern, re.DOTALL), "used": 0})
    return rules


def main():
    parser = argparse.ArgumentParser()
    for name in ("embedded", "cluster", "kubectl", "corpus", "accepted"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--only", default="", help="a part of the definitions' names")
    parser.add_argument("--mutations", type=int, default=3)
    parser.add_argument("--objects", type=int, default=1 << 30, help="objects of each kind at most")
    options = parser.parse_args()
    comparison = Comparison(Server(options.kubectl, options.embedded), Server(options.kubectl, options.cluster), read_accepted(options.accepted))
    left_out = {"conversion webhooks": 0}
    definitions = [without_conversion_webhooks(d, left_out) for d in lines_of(options.corpus + "/definitions.jsonl.zst")]
    definitions = [d for d in definitions if options.only in name_of(d)]
    objects = {}
    for body in lines_of(options.corpus + "/objects.jsonl.zst"):
        objects.setdefault((body.get("apiVersion", "").partition("/")[0], body.get("kind")), []).append(body)

    for server in (comparison.embedded, comparison.cluster):
        server.send("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    begin, tried = time.monotonic(), 0
    # Serving a new definition takes a kube-apiserver seconds, however many there are.
    for start in range(0, len(definitions), BATCH):
        served = [d for d in definitions[start:start + BATCH] if comparison.define(d)]
        await_served(comparison, served)
        for definition in served:
            spec = definition["spec"]
            for body in objects.get((spec["group"], spec["names"]["kind"]), [])[:options.objects]:
                tried += 1
                Subject(comparison, definition, body, tried).run(options.mutations)
        for definition in served:
            comparison.send("definition read", name_of(definition), "GET", f"{CRDS}/{name_of(definition)}")
            for server in (comparison.embedded, comparison.cluster):
                server.send("DELETE", f"{CRDS}/{name_of(definition)}")
        print(f"{start + BATCH} of {len(definitions)} definitions, {tried} objects, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    failed = bool(comparison.differences)
    for what, each in sorted(comparison.differences.items(), key=lambda item: -len(item[1])):
        print(f"DIFFERENT {len(each)} times: {what}")
        for subject, line in each[:8]:
            print(f"    {subject}: {line}")
    for rule in comparison.accepted:
        if not options.only and rule["used"] == 0:
            print(f"ACCEPTED, BUT DOES NOT OCCUR: {rule['text']}")
            failed = True
    print(f"{len(definitions)} definitions, {tried} objects, {comparison.count} requests to each server in {time.monotonic() - begin:.0f} s; "
          f"left out: {', '.join(f'{n} {what}' for what, n in left_out.items())}; "
          f"{sum(len(d) for d in comparison.differences.values())} differences, {sum(r['used'] for r in comparison.accepted)} accepted")
    return failed


if __name__ == "__main__":
    sys.exit(main())
