#!/usr/bin/env python3
"""Writes lib/package/code_order.ld: the code that programs run stands together in their files.

The kernel maps 64 KB around each page of code that runs, so code that runs once in a while makes its neighbours resident. This
program runs the node agent and the idle operator of idle.sh under callgrind, and lists the sections of code that they enter. It is
run by hand when much code has moved: a list that is out of date costs memory and nothing else. Needs valgrind and `./dev bench`.
"""
import argparse
import bisect
import os
import re
import shutil
import subprocess
import tempfile

PROGRAMS = ["kubecoro_bench_idle_agent", "kubecoro_bench_idle_operator"]  # what the first one runs stands first
OTHERS = ["kubecoro", "kubecoro_bench_idle_agent_shared"]
SHORTEST = len(".text._ZN8k")  # a shorter pattern would match what the programs do not hold

HEAD = """/* The code that informers and operators run, first in the file of a program, so that few pages of code are resident.
   Written by test/bench/idle/code_order.py, and read by the linker: docs/decisions/0061-code-order.md. */
SECTIONS
{
  .text.used : {
"""
TAIL = """  }
}
INSERT BEFORE .text;
"""


def build(tree, program, out):
    """Links a program once more, at a fixed address and with a map of its sections, which it returns sorted by address."""
    commands = subprocess.run(["ninja", "-C", tree, "-t", "commands", f"bin/{program}"], check=True, text=True, stdout=subprocess.PIPE)
    link = commands.stdout.rstrip().rsplit("\n", 1)[-1]
    link, changed = re.subn(r"-o bin/\S+", f"-no-pie -Wl,-Map={out}.map -o {out}", link)
    if changed != 1:
        raise SystemExit(f"{program}: no command that links it in {tree}")
    subprocess.run(link, shell=True, check=True, cwd=tree, stderr=subprocess.DEVNULL)
    return sorted(sections(f"{out}.map"))


def sections(linker_map):
    """Yields (address, size, section, file) of each input section of code."""
    name = None
    with open(linker_map, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            alone = re.match(r" (\.\S+)$", line)
            if alone:  # a long name has a line of its own
                name = alone[1]
                continue
            placed = re.match(r" +(\.\S+)? *0x([0-9a-f]+) +0x([0-9a-f]+) (\S.*)$", line)
            section = placed and (placed[1] or name)
            name = None
            if section and section.startswith(".text") and int(placed[2], 16) and int(placed[3], 16):
                yield int(placed[2], 16), int(placed[3], 16), section, placed[4]


def addresses(profile):
    """Returns the addresses of all instructions that callgrind has seen."""
    seen, last = set(), 0
    with open(profile, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            at = re.match(r"(0x[0-9a-f]+|\+\d+|-\d+|\*) ", line)
            if at:
                last = int(at[1], 16) if at[1].startswith("0x") else last if at[1] == "*" else last + int(at[1])
                seen.add(last)
    return seen


def pattern_text(section, file):
    """Returns how the linker's list names a section, or nothing for one that it cannot tell from others.

    Functions of ours have sections of their own. The libraries' have one for each member of an archive.
    """
    member = re.search(r"([^/]+\.a)\((\S+)\)$", file)
    if section.startswith((".text.unlikely", ".text.startup")):
        return None
    if member and not member[1].startswith("libkubecoro"):
        return f"{member[1]}:{member[2]}"
    return section if section != ".text" else None


def entered(tree, folder):
    """Runs the programs. Returns for each of them the size of each name and whether it was entered."""
    placed = {}
    os.mkdir(f"{folder}/bin")
    for program in PROGRAMS:
        print(f"linking {program}", flush=True)
        placed[program] = build(tree, program, f"{folder}/{program}")
        with open(f"{folder}/bin/{program}", "w", encoding="utf-8") as wrapper:
            wrapper.write(f"#!/bin/sh\nexec valgrind --tool=callgrind --dump-instr=yes --callgrind-out-file={folder}/{program}.profile "
                          f"{folder}/{program} \"$@\"\n")
        os.chmod(f"{folder}/bin/{program}", 0o755)
    for program in OTHERS:
        os.symlink(os.path.abspath(f"{tree}/bin/{program}"), f"{folder}/bin/{program}")
    print("running them under callgrind", flush=True)
    subprocess.run(["bash", os.path.join(os.path.dirname(__file__), "idle.sh"), folder], check=True, stdout=subprocess.DEVNULL)
    for program in PROGRAMS:
        yield sizes(placed[program], addresses(f"{folder}/{program}.profile"))


def sizes(placed, seen):
    starts = [each[0] for each in placed]
    hit = set()
    for address in seen:
        index = bisect.bisect_right(starts, address) - 1
        if index >= 0 and address < placed[index][0] + placed[index][1]:
            hit.add(index)
    names = {}
    for index, (_, size, section, file) in enumerate(placed):
        name = pattern_text(section, file)
        if name:
            before, used = names.get(name, (0, False))
            names[name] = (before + size, used or index in hit)
    return names


def shortest_list(names, price):
    """Returns patterns that match each name that is used.

    A beginning that many used names share replaces them, if that adds fewer bytes of unused code than `price` for each pattern saved.
    """
    tree = {}
    for name, entry in names.items():
        node = tree
        for letter in name:
            node = node.setdefault(letter, {})
        node[""] = entry

    def solve(node, prefix):  # -> cost, unused bytes, patterns
        cost, unused, patterns = 0, 0, []
        for letter, below in node.items():
            if letter == "":
                size, used = below
                cost, unused = cost + price * used, unused + size * (not used)
                patterns += [prefix] * used
                continue
            path = prefix + letter
            while len(below) == 1 and "" not in below:
                (letter, below), = below.items()
                path += letter
            inner = solve(below, path)
            cost, unused, patterns = cost + inner[0], unused + inner[1], patterns + inner[2]
        if patterns and len(prefix) > SHORTEST and unused + price < cost:
            return unused + price, unused, [prefix + "*"]
        return cost, unused, patterns

    return sorted(solve(tree, "")[2])


def line(pattern):
    return f"    *({pattern})\n" if pattern.startswith(".text") else f"    *{pattern}(.text .text.*)\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--out", default="lib/package/code_order.ld")
    parser.add_argument("--price", type=int, default=1000, help="bytes of unused code that one line less is worth")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        raise SystemExit("needs valgrind: apt-get install valgrind")
    patterns = []
    with tempfile.TemporaryDirectory() as folder:
        for names in entered(arguments.build, folder):
            # What an earlier pattern matches is placed already.
            known = re.compile("|".join(re.escape(p).replace(r"\*", ".*") + "$" for p in patterns) or "$.")
            patterns += shortest_list({n: e for n, e in names.items() if not known.match(n)}, arguments.price)
    with open(arguments.out, "w", encoding="utf-8") as out:
        out.write(HEAD + "".join(map(line, patterns)) + TAIL)
    print(f"{arguments.out}: {len(patterns)} patterns")


if __name__ == "__main__":
    main()
