#!/usr/bin/env python3
"""Counts what everyone who comes later pays for. size.txt beside this script holds each count, which may only go down.

    size.py ROOT            fails when a count is above that of size.txt
    size.py ROOT --update   writes the present counts, unless one has risen
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


def public_headers():
    return sorted(p for p in root.glob("lib/*/include/**/*.hpp") if "detail" not in p.parts)


def surface(header):
    """The types, aliases and concepts of a header, and the fields of its structs of options; without those in namespace detail."""
    names, fields, spaces, options = [], [], [], ""
    for line in header.read_text().splitlines():
        if space := re.match(r"(?:inline )?namespace ([\w: ]+)\{$", line):
            spaces.append(space[1])
        elif line.startswith("} // namespace"):
            spaces.pop()
        elif not any("detail" in s for s in spaces):
            defined = re.match(r"(?:class|struct|enum class|union) (?:\[\[\w+\]\] )?(\w+)(?!.*;$)", line)
            if named := defined or re.match(r"(?:template<.*> )?(?:using|concept) (\w+) =", line):
                names.append(named[1])
            if line.startswith("struct ") or line == "};":
                options = defined[1] if defined and defined[1].endswith("_options") else ""
            # A function has a parenthesis that is not of its type's arguments, and no initialiser.
            declared = re.sub(r"<.*>", "", line.split(" = ")[0].split("{")[0])
            if options and "(" not in declared and (field := re.match(r"    \w[\w: ]*[\w&*] (\w+);?$", declared)):
                fields.append(options + "::" + field[1])
    return names, fields


code, headers = sources("lib", "apps"), public_headers()
found = [surface(h) for h in headers]
if verb == "--names":
    for header, (names, fields) in zip(headers, found):
        print("\n".join(f"{header.relative_to(root)}: {n}" for n in names + fields))
    sys.exit(0)
pages = [root / "README.md", *root.glob("docs/**/*.md")]
counts = {
    "files of lib and apps": len(code),
    "files of fewer than 60 lines": sum(lines_of([p]) < 60 for p in code),
    "lines of lib": lines_of(sources("lib")),
    "lines of public headers": lines_of(headers),
    "public names": sum(len(names) for names, _ in found),
    "fields of options": sum(len(fields) for _, fields in found),
    "words of docs": sum(len(p.read_text().split()) for p in pages),
}
limits = counts
if verb != "--update" or counts_file.exists():
    limits = {name: int(n) for n, name in (line.split(" ", 1) for line in counts_file.read_text().splitlines())}
risen = [name for name, n in counts.items() if n > limits[name]]
for name in risen:
    print(f"{name}: {counts[name]}, and were {limits[name]}: look what can go (test/lint/size.txt)")
if verb == "--update" and not risen:
    counts_file.write_text("".join(f"{n} {name}\n" for name, n in counts.items()))
sys.exit(bool(risen))
