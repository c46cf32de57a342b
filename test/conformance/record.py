#!/usr/bin/env python3
"""Records what a kube-apiserver answers to the requests of data/*.jsonl, which the conformance cases expect of every server.

usage: record.py --kubectl KUBECTL --cluster KUBECONFIG FILE..

A line is a request: `case` describes it, `method` (POST without) and `target` name it ({ns}: a namespace), `body` is its content, `type` its
Content-Type, `at` names members of the answer that matter. The rest of a line is the answer, which this program writes: `code`, `causes`,
`message` of a refusal without causes (not of values of wrong types), `warnings`, and the values of `at`. To add a request, write a line without an answer and run this.
"""
import argparse
import json
import pathlib
import secrets
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "differential"))
from run import Server

NAMESPACE = "recorded-" + secrets.token_hex(4)


def at_pointer(value, pointer):
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        value = value[int(step)] if isinstance(value, list) else value.get(step) if isinstance(value, dict) else None
    return value


def recorded(server, line):
    one = {key: line[key] for key in ("case", "method", "target", "type", "body") if key in line}
    answer = server.send(line.get("method", "POST"), line["target"].replace("{ns}", NAMESPACE), line.get("body"), line.get("type", "application/json"))
    one["code"] = answer.code
    if answer.code >= 300:
        causes = answer.body.get("details", {}).get("causes", [])
        one["causes"] = sorted({f"{c.get('field', '')} {c['reason']} {c['message']}" for c in causes})
        if not causes and "cannot be handled as a" not in answer.body["message"]:  # each server has words of its own for wrong types
            one["message"] = answer.body["message"].replace(NAMESPACE, "{ns}")
    if answer.warnings:
        one["warnings"] = answer.warnings
    if "at" in line:
        one["at"] = {pointer: at_pointer(answer.body, pointer) for pointer in line["at"]}
    return one


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kubectl", required=True)
    parser.add_argument("--cluster", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    server = Server(options.kubectl, options.cluster)
    server.send("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    for name in options.files:
        file = pathlib.Path(name)
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        file.write_text("".join(json.dumps(recorded(server, line), ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    server.send("DELETE", f"/api/v1/namespaces/{NAMESPACE}")


if __name__ == "__main__":
    main()
