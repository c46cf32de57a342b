#!/usr/bin/env python3
"""Counts instructions of the kubecoro subject under callgrind: one table for the sync and one for saturated events.

Instruction counts do not depend on other load. Needs valgrind and the programs of `./dev bench`.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import urllib.request

GROUPS = [
    ("JSON scanner, with the inlined part of the tape writer", r"json_scanner|json_skipper|json_number|read_unit|find_special"),
    ("protobuf reader", r"message_reader|object_reader|protobuf_|go_text|append_seconds|identity_of|read_first"),
    ("vocabulary", r"text_table|text_hash|may_learn|vocabulary::|layout::"),
    ("tape writer and filter", r"_sink|tape_writer|pruned_tape"),
    ("compression", r"ZSTD|HUF_|FSE_|packing|packed|body_codec|body_dictionary"),
    ("memory", r"malloc|_int_free|\bfree\b|operator (new|delete)|mem(cpy|move|set|cmp|chr)"),
    ("work queue", r"workqueue|key_table|work_item|queue_alarm"),
    ("reading fields", r"value_view|member_iterator|item_iterator|tape_reader|front"),
]


class Subject:
    """The subject under callgrind, and its replay server."""

    def __init__(self, programs, mode, data, objects, protobuf, out):
        replay = [f"{programs}/kubecoro_replay", "--data", data, "--objects", str(objects)]
        if protobuf:
            replay += ["--protobuf", protobuf]
        self.server = subprocess.Popen(replay, stdout=subprocess.PIPE)
        ports = json.loads(self.server.stdout.readline())
        self.control = f"http://127.0.0.1:{ports['control']}"
        # On one core the subject has one thread.
        command = ["taskset", "--cpu-list", "0", "valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                   f"{programs}/kubecoro_bench_subject",
                   "--server", f"http://127.0.0.1:{ports['port']}", "--mode", mode,
                   "--form", "protobuf" if protobuf else "json"]
        if data == "custom":
            command += ["--resource", "widgets"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, command):
        self.say(command)
        return self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if not line or "error" in json.loads(line):
            raise SystemExit(f"the subject failed: {line}")
        return json.loads(line)

    def events(self, count):
        order = urllib.request.Request(f"{self.control}/events?count={count}&rate=0", method="POST")
        urllib.request.urlopen(order).read()

    def callgrind(self, order):
        subprocess.run(["callgrind_control", order, str(self.process.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)

    def end(self):
        self.say("quit")
        self.process.wait()
        self.server.kill()


def cost_of_functions(path):
    """Instructions of each function itself, without its callees."""
    names, cost, current, called = {}, collections.Counter(), None, False
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if function := re.match(r"(c?)fn=(\(\d+\))(?: (.*))?$", line):
                inner, number, name = function.groups()
                if name:
                    names[number] = name
                if not inner:
                    current = number
            elif line.startswith("calls="):
                called = True
            elif numbers := re.match(r"[+\-*]?\d* ?(\d+)$", line):
                if not called and current:
                    cost[current] += int(numbers.group(1))
                called = False
    return collections.Counter({names.get(number, number): instructions for number, instructions in cost.items()})


def group_of(function):
    return next((name for name, pattern in GROUPS if re.search(pattern, function)), "informer, client, socket and the rest")


def report(title, path, operations, functions):
    cost = cost_of_functions(path)
    total = sum(cost.values())
    groups = collections.Counter()
    for function, instructions in cost.items():
        groups[group_of(function)] += instructions
    print(f"\n{title}: {total // operations:,} instructions each")
    for name, instructions in groups.most_common():
        print(f"  {100 * instructions / total:5.1f} %  {instructions // operations:8,}  {name}")
    for function, instructions in cost.most_common(functions):
        print(f"    {100 * instructions / total:5.1f} %  {instructions // operations:8,}  {function[:110]}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--mode", default="plain")
    arguments.add_argument("--data", default="small")
    arguments.add_argument("--objects", type=int, default=10_000)
    arguments.add_argument("--protobuf", help="the file of topb for these objects: reads protobuf instead of JSON")
    arguments.add_argument("--functions", type=int, default=15, help="how many to name")
    arguments.add_argument("--programs", default="build/release/bin")
    arguments.add_argument("--out", default="build/bench/profile")
    o = arguments.parse_args()
    os.makedirs(o.out, exist_ok=True)
    out = os.path.abspath(f"{o.out}/{o.mode}.callgrind")

    subject = Subject(o.programs, o.mode, o.data, o.objects, o.protobuf, out)
    subject.ask("counters")
    subject.callgrind("--zero")
    subject.ask("sync")
    subject.callgrind("--dump=sync")
    subject.ask(f"expect {o.objects}")
    subject.events(o.objects)
    subject.answer()
    subject.callgrind("--dump=events")
    subject.end()
    report("sync, an object", f"{out}.1", o.objects, o.functions)
    report("events, an event", f"{out}.2", o.objects, o.functions)


main()
