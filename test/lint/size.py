#!/usr/bin/env python3
"""Counts what everyone who comes later pays for. size.txt beside this script holds each module's counts, which may only go down.

    size.py ROOT            fails when a count is above that of size.txt
    size.py ROOT --update   writes the present counts, those of new modules as well, unless one has risen
    size.py ROOT --sum      prints the counts of all modules together
    size.py ROOT --names    prints the public names and the fields of options
"""
import pathlib
import re
import sys

counts_file = pathlib.Path(__file__).with_name("size.txt")
root = pathlib.Path(sys.argv[1])
verb = sys.argv[2] if len(sys.argv) > 2 else ""


def sources(*trees):
    return sorted(p for tree in trees for p in (root / tree).rglob("*") if p.suffix in (".hpp", ".cpp"))


def lines_of(paths):
    return sum(len(p.read_text().splitlines()) for p in paths)


def surface(header):
    """The types, aliases and concepts of a header, and the fields of its structs of options; without specialisations and those in
    namespace detail."""
    names, fields, blocks, options = [], [], [], ""  # blocks: those that are open at the left margin, namespaces by name
    for line in header.read_text().splitlines():
        if space := re.match(r"(?:inline )?namespace ([\w: ]+)\{$", line):
            blocks.append(space[1])
            continue
        if line.startswith("}"):  # that of a short namespace has no comment
            blocks.pop()
        elif re.match(r"(\{|[^\s#/*].*\{)$", line):
            blocks.append("")
        if not any("detail" in b for b in blocks):
            defined = re.match(r"(?:class|struct|enum class|union) (?:\[\[\w+\]\] )?(\w+)(?![\w<]|::|.*;$)", line)
            if named := defined or re.match(r"(?:template<.*> )?(?:using|concept) (\w+) =", line):
                names.append(named[1])
            if line.startswith("struct ") or line == "};":
                options = defined[1] if defined and defined[1].endswith("_options") else ""
            # A function has a parenthesis that is not of its type's arguments, and no initialiser.
            declared = re.sub(r"<.*>", "", line.split(" = ")[0].split("{")[0])
            if options and "(" not in declared and (field := re.match(r"    (?!struct )\w[\w: ]*[\w&*] (\w+);?$", declared)):
                fields.append(options + "::" + field[1])
    return names, fields


def counts_of(name, folder):
    """Of a module, or of all apps. A new module brings rows of its own."""
    code = sources(folder)
    headers = [p for p in code if "include" in p.parts and "detail" not in p.parts]
    found = [surface(h) for h in headers]
    return {
        f"{name} files": len(code),
        f"{name} files of fewer than 60 lines": sum(lines_of([p]) < 60 for p in code),
        f"{name} lines": lines_of(code),
        f"{name} lines of public headers": lines_of(headers),
        f"{name} public names": sum(len(names) for names, _ in found),
        f"{name} fields of options": sum(len(fields) for _, fields in found),
    }


modules = sorted(p.name for p in root.glob("lib/*") if p.is_dir())
if verb == "--names":
    for header in sorted(p for p in root.glob("lib/*/include/**/*.hpp") if "detail" not in p.parts):
        names, fields = surface(header)
        print("\n".join(f"{header.relative_to(root)}: {n}" for n in names + fields))
    sys.exit(0)
counts = {"docs words": sum(len(p.read_text().split()) for p in [root / "README.md", *root.glob("docs/**/*.md")])}
for name, folder in [("apps", "apps"), *((m, f"lib/{m}") for m in modules)]:
    counts |= counts_of(name, folder)
if verb == "--sum":  # of all modules
    for name in [n.removeprefix("base ") for n in counts if n.startswith("base ")]:
        print(sum(counts[f"{m} {name}"] for m in modules), name)
    sys.exit(0)
limits = {}
if counts_file.exists():
    limits = {name: int(n) for n, name in (line.split(" ", 1) for line in counts_file.read_text().splitlines())}
status = 0
for name, n in counts.items():
    if name not in limits and verb != "--update":
        print(f"{name}: is not counted yet: size.py ROOT --update")
        status = 1
    elif n > limits.get(name, n):
        print(f"{name}: {n}, and were {limits[name]}: look what can go (test/lint/size.txt)")
        status = 1
if verb == "--update" and not status:
    counts_file.write_text("".join(f"{n} {name}\n" for name, n in counts.items()))
sys.exit(status)
