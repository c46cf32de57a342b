#!/usr/bin/env python3
"""Reads the lists of mutants, finds their places in the sources and makes the changes; run.sh builds and runs what comes of it.

    mutants.py check TREE         reports what is not understood and each change without exactly one place
    mutants.py list TREE          a line for each mutant, divided by ASCII's unit separators: module, file, program, test, rule
    mutants.py make TREE NUMBER   changes the file in TREE as the mutant of that line says, from 0 on

docs/testing.md describes the format. No C++ is parsed: a definition is a name with parameters before a block, brackets are counted.
"""
import functools
import pathlib
import re
import sys

MOST = 500  # a new mutant replaces one that guards less
UNREAD = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.S)
CLASS = re.compile(r'\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?(\w+)\b(?:(?!\b(?:class|struct)\b)[^;{}()])*\{')
QUALIFIERS = re.compile(r'(?:\w+(?:<[^;{}()<>]*>)?::)*$')
BRACKET = re.compile(r'[(){}\[\]]')
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\w+|\s+|.')


def blank(found):
    return re.sub(r'[^\n]', ' ', found[0])


class Source:
    """The text of a file, as `code` without its comments, as `shape` without its string literals as well; offsets stay."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text('utf-8')

    @functools.cached_property
    def code(self):
        return UNREAD.sub(lambda found: blank(found) if found[0][0] == '/' else found[0], self.text)

    @functools.cached_property
    def shape(self):
        return UNREAD.sub(blank, self.text)

    @functools.cached_property
    def classes(self):
        return [(found[1], found.start(), self.closed(found.end() - 1)) for found in CLASS.finditer(self.shape)]

    def closed(self, at):
        """The offset behind the bracket that closes the one at `at`."""
        depth = 0
        for bracket in BRACKET.finditer(self.shape, at):
            depth += 1 if bracket[0] in '({[' else -1
            if depth == 0:
                return bracket.end()
        return len(self.shape)

    def body_end(self, at):
        """The end of the function whose parameters begin at `at`, or None: a call or a declaration."""
        at, last, initialisers = self.closed(at), ')', False
        while at < len(self.shape):
            c = self.shape[at]
            if c == '{' and not (initialisers and (last.isalnum() or last in '_>')):
                return self.closed(at)
            if c in '({[':
                at, last = self.closed(at), ')'
                continue
            if not (c.isalnum() or c.isspace() or c in '_:<>,*&.' or (c == '-' and self.shape[at + 1] == '>')):
                return None
            if c == ':' and ':' not in (self.shape[at - 1], self.shape[at + 1]):
                initialisers = True
            at, last = at + 1, last if c.isspace() else c
        return None

    def functions(self, names):
        """The functions whose names end with `names`: what is written, behind the names of the classes around it."""
        call, at = names[-1] + '(', -1
        while (at := self.shape.find(call, at + 1)) >= 0:
            written = QUALIFIERS.search(self.shape, max(0, at - 200), at)
            if self.shape[at - 1] in '~_' or self.shape[at - 1].isalnum():
                continue
            around = [name for name, begin, end in self.classes if begin < at < end] if len(names) > 1 else []
            full = around + re.findall(r'(\w+)(?:<[^;{}()<>]*>)?::', written[0]) + names[-1:]
            if full[-len(names):] == names and (end := self.body_end(at + len(call) - 1)):
                yield at, end

    def others(self, name):
        """The classes and values of that name, the latter up to a semicolon."""
        yield from ((begin, end) for known, begin, end in self.classes if known == name)
        for found in re.finditer(r'\b' + name + r'\s*(?:\[\w*\]\s*)?(?:=(?!=)|\{)', self.shape):
            yield found.start(), self.shape.find(';', found.end())


class Module:
    def __init__(self, tree, name):
        self.folder = next((f for f in ('lib/' + name, 'apps/' + name) if (tree / f).is_dir()), None)
        self.sources = [Source(path) for path in sorted((tree / self.folder).rglob('*.[ch]pp'))] if self.folder else []

    @functools.cache
    def definitions(self, name):
        names = name.split('::')
        found = [(source, part) for source in self.sources if names[-1] + '(' in source.text for part in source.functions(names)]
        return found or [(source, part) for source in self.sources if name in source.text for part in source.others(name)]


def pattern_of(text):
    """Blanks match any blanks and line ends, also none where tokens do not need them; words and operators match as a whole."""
    out, blank = '', False
    for token in TOKEN.findall(text):
        if token.isspace():
            blank = True
            continue
        word = re.match(r'\w', token)
        if out:
            out += r'\s+' if blank and word and last else r'\s*'
        out += r'(?<!\w)' + token + r'(?!\w)' if word else re.escape(token)
        last, blank = word, False
    operator = '[-<>=&|+]'
    before = '(?<!' + operator + ')' if re.match(operator, text) else ''
    behind = '(?!' + operator + ')' if re.match(operator, text[-1]) else ''
    return re.compile(before + out + behind)


class Mutant:
    def __init__(self, place, module, rule):
        self.place, self.module, self.rule = place, module, rule
        self.function = self.program = self.test = ''
        self.changes = []  # line, pattern, replacement

    def found(self, modules):
        """The source and the changes in it as (begin, end, replacement), the last first; raises ValueError."""
        module = modules[self.module]
        if not module.folder:
            raise ValueError(f'{self.place}: neither lib nor apps has a folder {self.module}')
        definitions = module.definitions(self.function)
        if not definitions:
            raise ValueError(f'{self.place}: nothing in {module.folder} is named {self.function}')
        edits = []
        for line, text, replacement in self.changes:
            pattern = pattern_of(text)
            hits = {(source.path, hit.span()): source for source, part in definitions for hit in pattern.finditer(source.code, *part)}
            if len(hits) != 1:
                raise ValueError(f'{line}: occurs {len(hits)} times in {self.function}: {text}')
            ((_, span), source), = hits.items()
            edits.append((*span, replacement))
        return source, sorted(edits, reverse=True)


def read_list(path, tree):
    """The mutants of a list; raises ValueError."""
    mutants, state = [], 'outside'
    for number, line in enumerate([*path.read_text('utf-8').splitlines(), ''], 1):
        place = f'{path.relative_to(tree)}:{number}'
        if line.startswith('== ') and state in ('outside', 'changes'):
            mutants.append(Mutant(place, path.stem, line[3:]))
            state = 'function'
        elif state == 'function' and re.fullmatch(r'[\w:~]+(operator\S+)?', line):
            mutants[-1].function = line
            state = 'test'
        elif state == 'test' and line:
            mutants[-1].program, _, mutants[-1].test = line.partition(' ')
            state = 'change'
        elif state in ('change', 'changes') and re.search(r'\S => |\S =>$', line):
            text, _, replacement = line.partition(' =>')
            mutants[-1].changes.append((place, text, replacement[1:]))
            state = 'changes'
        elif (not line or line.startswith('#')) and state in ('outside', 'changes'):
            state = 'outside'
        else:
            raise ValueError(f'{place}: ' + (f'not understood: {line}' if line else 'the mutant above has no change'))
    return mutants


def main(command, tree, number=None):
    tree = pathlib.Path(tree)
    mutants, problems = [], []
    for path in sorted((tree / 'test/mutants').glob('*.txt')):
        if path.name != 'CMakeLists.txt':
            mutants += read_list(path, tree)
    modules = {name: Module(tree, name) for name in {mutant.module for mutant in mutants}}
    for mutant in mutants if number is None else [mutants[int(number)]]:
        try:
            source, edits = mutant.found(modules)
        except ValueError as problem:
            problems.append(str(problem))
            source, edits = None, []
        if command == 'list':
            file = source.path.relative_to(tree) if source else ''
            print(mutant.module, file, mutant.program, mutant.test, mutant.rule, sep='\x1f')
        if command == 'make' and source:
            text = source.text
            for begin, end, replacement in edits:
                text = text[:begin] + replacement + text[end:]
            source.path.write_text(text, 'utf-8')
    if command == 'check':
        print(f'{len(mutants)} mutants')
        if not 0 < len(mutants) <= MOST:
            problems.append(f'test/mutants: there must be from 1 to {MOST} mutants')
    if command != 'list' and problems:
        sys.exit('\n'.join(problems))


if __name__ == '__main__':
    try:
        main(*sys.argv[1:])
    except ValueError as problem:
        sys.exit(str(problem))
