#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Holds the source tree against what its folders promise.

Usage: check-layers.py ROOT

The tree is the data flow: a stage may include headers of the stages before it, never of one after. Prints
TAP. That each check finds what it is for is checked, too, on small trees that do wrong.
"""

import pathlib
import re
import tempfile

import tap

# Who may include whom, in the order of the data.
MAY_INCLUDE = {
    'base': set(),
    'guest': {'base'},
    'settings': {'base'},
    'json': {'base'},
    'elf': {'base', 'guest'},
    'observe': {'base', 'guest'},
    'rules': {'base', 'settings'},
    'frames': {'base'},
    'input': {'base'},
    'proc': {'base', 'guest'},
    'descriptors': {'base', 'guest', 'proc'},
    'unwind': {'base', 'elf'},
    'dbus': {'base', 'elf', 'proc', 'unwind'},
    'wait': {'base', 'elf', 'proc', 'descriptors', 'unwind', 'dbus'},
    'python': {'base', 'elf', 'observe', 'proc', 'wait', 'unwind'},
    'javascript': {'base', 'guest', 'elf', 'observe', 'unwind'},
    'sample': {'base', 'guest', 'elf', 'observe', 'proc', 'wait', 'unwind', 'python', 'javascript', 'gobject'},
    'gobject': {'base', 'observe', 'unwind'},
    'watch': {'base', 'guest', 'input', 'observe', 'rules', 'proc', 'descriptors', 'wait', 'unwind', 'sample'},
    'symbols': {'base', 'guest', 'elf', 'descriptors', 'unwind', 'python', 'gobject'},
    'blame': {'base', 'settings', 'observe', 'proc', 'unwind', 'sample', 'watch', 'symbols'},
    'report': {'base', 'guest', 'json', 'settings', 'elf', 'observe', 'frames', 'input', 'proc', 'wait', 'unwind',
               'gobject', 'sample', 'watch', 'symbols',
               'blame'},
    'verdict': {'base', 'json', 'symbols', 'report'},
    'live': {'base', 'guest', 'json', 'report', 'verdict'},
    'store': {'base', 'guest', 'json', 'settings', 'frames', 'proc', 'report', 'verdict'},
    'index': {'base', 'json', 'frames', 'symbols', 'report', 'store'},
    'compare': {'base', 'frames', 'report', 'store', 'index'},
    'chain': {'base', 'elf', 'proc', 'descriptors', 'wait', 'report'},
    'outside': {'base', 'elf', 'proc', 'dbus', 'unwind', 'python', 'sample', 'watch', 'report', 'verdict', 'chain'},
    'text': {'base', 'json', 'elf', 'descriptors', 'symbols', 'report', 'verdict'},
    'export': {'base', 'json', 'elf', 'symbols', 'report', 'verdict', 'text'},
    'send': {'base', 'json', 'frames', 'report', 'store', 'index', 'text', 'export'},
    'gtk': {'base', 'json', 'settings', 'frames', 'input', 'symbols', 'report', 'verdict', 'text'},
    'sinks': {'base', 'guest', 'json', 'settings', 'observe', 'rules', 'frames', 'input', 'proc', 'watch', 'gobject',
              'symbols', 'report', 'verdict', 'live', 'store',
              'text', 'gtk'},
    'monitor': {'base', 'guest', 'json', 'settings', 'observe', 'rules', 'frames', 'proc', 'unwind', 'watch', 'symbols',
                'report', 'verdict', 'store', 'sinks', 'gtk'},
    'module': {'base'},
    'demo': set(),
    'cli': {'base', 'json', 'settings', 'rules', 'proc', 'descriptors', 'chain', 'outside', 'symbols',
            'report', 'verdict', 'live', 'store',
            'index', 'compare', 'text', 'export', 'send'},
    'view': {'base', 'settings', 'frames', 'report', 'verdict', 'store', 'index', 'live', 'text', 'export', 'gtk',
             'cli'},
}

# Single headers that a stage may include beside those.
MAY_ALSO_INCLUDE = {
    'verdict': {'blame/jank-advice-private.h', 'blame/jank-culprit-private.h', 'blame/jank-platform-private.h'},
    'cli': {'blame/jank-advice-private.h'},
    'text': {'blame/jank-culprit-private.h', 'blame/jank-platform-private.h'},
    'gtk': {'blame/jank-platform-private.h', 'observe/jank-own-time-private.h',
            'observe/jank-source-ledger-private.h', 'guest/jank-plugin-private.h'},
    'module': {'monitor/jank-activate-private.h'},
    'sinks': {'blame/jank-platform-private.h'},
    'monitor': {'blame/jank-heaviest-private.h', 'wait/jank-lock-private.h', 'javascript/jank-javascript-private.h',
                'gobject/jank-emissions-private.h'},
}

# Of the library's users: the public headers.
UMBRELLA = 'jankwatch.h'

TOP_LEVEL = {'src', 'data', 'po', 'tests', 'meson.build', 'README.md', 'meson_options.txt', 'COPYING', 'NEWS'}

MAX_LINES = 600
MAX_COLUMNS = 120
MAX_TOP_MESON_LINES = 200

CODE = {'.c', '.h', '.cpp', '.py', '.sh', '.build'}
SPDX = ('SPDX-FileCopyrightText: the jankwatch authors', 'SPDX-License-Identifier: LGPL-2.1-or-later')

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
TRANSLATABLE = re.compile(r'\b(?:N?C?_|Q_|gettext|ngettext|g_d[np]*gettext2?)\s*\(')
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)


def read(path: pathlib.Path) -> str:
    return path.read_text(encoding='utf-8')


def sources(root: pathlib.Path, folder: str, suffixes: set[str]):
    for path in sorted((root / folder).rglob('*')):
        if path.is_file() and '__pycache__' not in path.parts and path.suffix in suffixes:
            yield path


def check_layers(root: pathlib.Path) -> list[str]:
    wrong = []
    for folder in sorted(path.name for path in (root / 'src').iterdir() if path.is_dir()):
        if folder not in MAY_INCLUDE:
            wrong.append(f'src/{folder}: a stage that this check does not know')
    # Public headers name each other as they are installed: without a stage.
    stages = {path.name: path.parent.name for path in (root / 'src').glob('*/*.h')}
    for path in sources(root, 'src', {'.c', '.h', '.cpp'}):
        parts = path.relative_to(root / 'src').parts
        stage = parts[0]
        if len(parts) == 1 or stage not in MAY_INCLUDE:
            continue
        for header in INCLUDE.findall(read(path)):
            target = header.split('/')[0]
            if header in stages and header != UMBRELLA:
                target = stages[header]
                header = f'{target}/{header}'
            if '..' in pathlib.PurePosixPath(header).parts or header == UMBRELLA:
                wrong.append(f'{path.relative_to(root)} includes {header}: name it by its stage')
            elif target in MAY_INCLUDE and '/' in header and target != stage \
                    and target not in MAY_INCLUDE[stage] and header not in MAY_ALSO_INCLUDE.get(stage, set()):
                wrong.append(f'{path.relative_to(root)} includes {header}: {stage} may include '
                             f'{", ".join(sorted(MAY_INCLUDE[stage])) or "no other stage"}')
    return wrong


def check_order(root: pathlib.Path) -> list[str]:
    """src/meson.build is the table of contents, in the order of the data."""
    listed = re.findall(r"^(?:\s*subdir\(|  )'(\w+)'(?:\)|,)$", read(root / 'src' / 'meson.build'), re.MULTILINE)
    there = {path.name for path in (root / 'src').iterdir() if path.is_dir()}
    wrong = [f'src/{name} is not in src/meson.build' for name in sorted(there - set(listed))]
    for i, name in enumerate(listed):
        for later in listed[i + 1:]:
            if later in MAY_INCLUDE.get(name, set()):
                wrong.append(f'src/meson.build lists {name} before {later}, which it builds on')
    return wrong


def check_top_level(root: pathlib.Path) -> list[str]:
    ignored = re.compile('build.*')  # as in .gitignore
    return [f'{path.name} is not of the agreed top level' for path in sorted(root.iterdir())
            if path.name not in TOP_LEVEL and not path.name.startswith('.') and not ignored.fullmatch(path.name)]


def check_sizes(root: pathlib.Path) -> list[str]:
    wrong = []
    for folder in ('src', 'tests'):
        for path in sources(root, folder, CODE):
            lines = read(path).splitlines()
            if len(lines) > MAX_LINES:
                wrong.append(f'{path.relative_to(root)} has {len(lines)} lines, more than {MAX_LINES}')
            wrong += [f'{path.relative_to(root)}:{number} has {len(line)} columns, more than {MAX_COLUMNS}'
                      for number, line in enumerate(lines, 1) if len(line) > MAX_COLUMNS and path.suffix != '.build']
    n_lines = read(root / 'meson.build').count('\n')
    if n_lines > MAX_TOP_MESON_LINES:
        wrong.append(f'meson.build has {n_lines} lines, more than {MAX_TOP_MESON_LINES}')
    return wrong


def check_spdx(root: pathlib.Path) -> list[str]:
    wrong = []
    files = [root / 'meson.build']
    for folder in ('src', 'tests', 'data', 'po'):
        files += sources(root, folder, CODE)
    for path in files:
        lines = read(path).splitlines()
        if lines and lines[0].startswith('#!'):
            lines = lines[1:]
        if len(lines) < 2 or SPDX[0] not in lines[0] or SPDX[1] not in lines[1]:
            wrong.append(f'{path.relative_to(root)} does not begin with the two SPDX lines')
    return wrong


def check_translations(root: pathlib.Path) -> list[str]:
    listed = {line.strip() for line in read(root / 'po' / 'POTFILES').splitlines()
              if line.strip() and not line.startswith('#')}
    wrong = [f'po/POTFILES names {name}, which is not there' for name in sorted(listed) if not (root / name).is_file()]
    for path in sources(root, 'src', {'.c', '.h'}):
        name = str(path.relative_to(root))
        if TRANSLATABLE.search(COMMENT.sub('', read(path))) and name not in listed:
            wrong.append(f'{name} has texts to translate and is not in po/POTFILES')
    return wrong


# Rooms in which what is read of the program's memory is somebody's objects.
OF_OBJECTS = ('gobject', 'javascript', 'python')
READS = re.compile(r'\bjank_(?:memory|types)_read\w* \(|\bdlsym \(')
CONFESSES = '/* Private layout: '


def find_silent(root: pathlib.Path) -> list[str]:
    """Files that read objects and neither say whose layout that is nor include a file of theirs that does."""
    texts = {str(path.relative_to(root / 'src')): read(path) for room in OF_OBJECTS if (root / 'src' / room).is_dir()
             for path in sources(root, f'src/{room}', {'.c', '.h'})}

    def confesses(name: str) -> bool:
        pair = name.removesuffix('-private.h') + '.c'
        return CONFESSES in texts.get(name, '') or CONFESSES in texts.get(pair, '')

    return [f'src/{name} does not say whose layout it reads' for name, text in texts.items() if name.endswith('.c')
            and READS.search(COMMENT.sub('', text)) and CONFESSES not in text
            and not any(map(confesses, INCLUDE.findall(text)))]


def check_private_layouts(root: pathlib.Path) -> list[str]:
    """src/DESIGN.md has a row for each, which names its file and a test."""
    table = read(root / 'src' / 'DESIGN.md').partition('## Private layouts')[2].partition('\n## ')[0]
    rows = re.findall(r'^\| ([^|]+?) \| `([^`]+)` \|.*\| `([^`]+)` \|$', table, re.MULTILINE)
    told = {(name, file) for name, file, _ in rows}
    there = {(found, str(path.relative_to(root / 'src'))) for path in sources(root, 'src', {'.c', '.h'})
             for found in re.findall(r"/\* Private layout: ([\w' -]+(?:,[\w' -]+)*)\.", read(path))}
    wrong = [f'src/DESIGN.md has no row for {name} in {file}' for name, file in sorted(there - told)]
    wrong += [f'{file} does not say that it reads {name}' for name, file in sorted(told - there)]
    wrong += find_silent(root)
    for name, _, test in rows:
        folder, _, stem = test.rpartition('/')
        if not list((root / 'tests' / folder).glob(f'test-{stem}.*')):
            wrong.append(f'{name}: there is no test {test}')
    return wrong


ATTACHES = re.compile(r'\b(g_source_attach|g_(?:idle|timeout|child_watch|unix_fd|unix_signal|io)_add\w*|'
                      r'jank_errands_attach|'
                      r'g_main_context_invoke\w*|gtk_widget_add_tick_callback) \(')
PROGRAMS_OF_OURS = {'cli', 'demo', 'send', 'view'}


def check_sources(root: pathlib.Path) -> list[str]:
    """src/DESIGN.md has a row for each file that attaches a source to a context."""
    table = read(root / 'src' / 'DESIGN.md').partition("## Sources in the program's contexts")[2].partition('\n## ')[0]
    told = {file for row in re.findall(r'^\| (`.*?`) \|', table, re.MULTILINE)
            for file in re.findall(r'`([^`]+)`', row)}
    there = {str(path.relative_to(root / 'src')) for path in sources(root, 'src', {'.c'})
             if path.relative_to(root / 'src').parts[0] not in PROGRAMS_OF_OURS
             and ATTACHES.search(COMMENT.sub('', read(path)))}
    return ([f'src/DESIGN.md does not tell what {file} attaches' for file in sorted(there - told)]
            + [f'{file} attaches nothing' for file in sorted(told - there)])


def check_map(root: pathlib.Path) -> list[str]:
    """The functions that src/README.md names exist."""
    defined = {name for path in sources(root, 'src', {'.c'})
               for name in re.findall(r'^(\w+) \(', read(path), re.MULTILINE)}
    named = re.findall(r'`(\w+)\(\)`', read(root / 'src' / 'README.md'))
    return [f'src/README.md names {name}(), which nobody defines' for name in sorted(set(named) - defined)]


# Of the watched program's stacks: a profile of `look` and `take` tells nobody anything.
IN_STACKS = set(MAY_INCLUDE) - {'elf', 'index', 'compare', 'text', 'export', 'demo', 'cli', 'view'}


def check_names(root: pathlib.Path) -> list[str]:
    """Every function that can stand on a watched program's stack says whose it is."""
    shared = {name for path in sources(root, 'src', {'.h'}) for name in re.findall(r'\b(\w+) +\(', read(path))}
    return [f'{path.relative_to(root)}: {name}() says nothing of whose it is' for room in sorted(IN_STACKS)
            if (root / 'src' / room).is_dir() for path in sources(root, f'src/{room}', {'.c'})
            for name in re.findall(r'^static [^\n;{}()=]*\n(\w+) \(', read(path), re.MULTILINE)
            if not name.startswith(('jank_', 'g_')) and name not in shared]


# Who reads memory without the kernel, and what keeps that memory from being unmapped or protected meanwhile.
COPIES = re.compile(r'\bjank_memory_(?:copy|move)_sigsafe \(')
COPIERS = {
    'base/jank-memory-sigsafe-private.h': 'here it is defined',
    'observe/jank-dispatch-slot.c': 'GLib keeps the record of a thread until that ends, of a source while it runs',
    'sample/jank-signal-sigsafe.c': "the frames of the thread's own stack",
}


def check_copies(root: pathlib.Path) -> list[str]:
    """No more files read memory without the kernel than have a reason to."""
    there = {str(path.relative_to(root / 'src')) for path in sources(root, 'src', {'.c', '.h'})
             if '/jank-processor-' not in str(path) and COPIES.search(COMMENT.sub('', read(path)))}
    return [f'src/{name} reads memory that the program may take away: let the kernel copy it'
            for name in sorted(there - set(COPIERS))]


MACRO = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)((?:.*\\\n)*.*)', re.MULTILINE)


def check_macros(root: pathlib.Path) -> list[str]:
    """No macro stands before a function of its own name: a reader sees another call than is made."""
    return [f'{path.relative_to(root)}: the macro {name} hides {name}()' for folder in ('src', 'tests')
            for path in sources(root, folder, {'.c', '.h', '.cpp'})
            for name, body in MACRO.findall(COMMENT.sub('', read(path))) if re.search(rf'\b{name}\b', body)]


TWICE = re.compile(r'\b(?:MIN|MAX|CLAMP|ABS) \(')
CALL = re.compile(r'\b([a-z]\w*) \(')
# Calls whose second answer is the first one, for nothing. All others may do something, or tell another time.
PURE = re.compile(r'sizeof|to_us|str\w+|log2|sqrt|sqlite3_column_\w+|g_\w+_(?:index|size|get_\w+|str(?:len|to\w+))|'
                  r'g_date_time_\w+|gtk_\w+_get_\w+|(?:jank_\w+_)?(?:get|is)_\w+|jank_\w+_(?:get|x_of|word_ns|width|'
                  r'refresh|deadline_ns|end_ns|work_ns|bucket_ns|last_own|or_assumed|next_(?:look|stack|time))')


def check_twice(root: pathlib.Path) -> list[str]:
    """Nothing that may have an effect is an argument of a macro that evaluates it twice."""
    wrong = []
    for path in sources(root, 'src', {'.c', '.h'}):
        text = COMMENT.sub('', read(path))
        for match in TWICE.finditer(text):
            end, depth = match.end(), 1
            while depth:
                depth += {'(': 1, ')': -1}.get(text[end], 0)
                end += 1
            wrong += [f'{path.relative_to(root)}: {match[0]}… evaluates {name}() twice'
                      for name in CALL.findall(text, match.end(), end) if not PURE.fullmatch(name)]
    return wrong


def check_suppressions(root: pathlib.Path) -> list[str]:
    """Each function that the thread sanitizer is told of is there, under a name that has that part."""
    code = '\n'.join(read(path) for folder in ('src', 'tests') for path in sources(root, folder, {'.c', '.h'}))
    return [f'{path.relative_to(root)}: no function is named {name}' for path in sources(root, 'tests', {'.supp'})
            for name in re.findall(r'^race:(\w+)$', read(path), re.MULTILINE)
            if not re.search(rf'\b\w*{name}\w* \(', code)]


CHECKS = {
    'layers': check_layers,
    'order': check_order,
    'top-level': check_top_level,
    'sizes': check_sizes,
    'spdx': check_spdx,
    'translations': check_translations,
    'private-layouts': check_private_layouts,
    'sources': check_sources,
    'map': check_map,
    'names': check_names,
    'macros': check_macros,
    'copies': check_copies,
    'twice': check_twice,
    'suppressions': check_suppressions,
}

HEAD = '/* ' + SPDX[0] + '\n * ' + SPDX[1] + ' */\n'
GOOD = {
    'meson.build': f'# {SPDX[0]}\n# {SPDX[1]}\n',
    'README.md': '', '.gitignore': '', 'build-asan/x': '',
    'src/jankwatch.h': HEAD + '#include "base/a.h"\n#include "monitor/b.h"\n',
    'src/meson.build': f"# {SPDX[0]}\n# {SPDX[1]}\nstages = [\n  'base',\n  'observe',\n  "
                       f"'watch',\n]\nsubdir('module')\n",
    'src/base/a.c': HEAD + '#include "base/a.h"\n/* _("no") */\ng_source_attach (s, NULL);\nint\njank_a (void)\n',
    'src/observe/o.c': HEAD + '#include "base/a.h"\n#include "local.h"\nf (_("text"));\n',
    'src/README.md': '`jank_a()`',
    'src/DESIGN.md': '## Private layouts\n\n| what | file |\n| --- |\n| a node | `observe/n.c` | checked | lost '
                     '| `observe/n` |\n'
                     "\n## Sources in the program's contexts\n\n| `base/a.c`, `watch/s.c` | ticks | never |\n",
    'src/observe/n.c': HEAD + '/* Private layout: a node. g_idle_add () */\n',
    'tests/observe/test-n.c': HEAD,
    'src/watch/s.c': HEAD + '#include "observe/o.h"\n#include <report/of-another-project.h>\ng_timeout_add_full (1);\n',
    'src/module/m.c': HEAD + '#include "monitor/jank-activate-private.h"\n',
    'po/POTFILES': '# a comment\nsrc/observe/o.c\n',
}

# What each check is to find: the files that are different from the good tree.
BAD = {
    'layers': [
        {'src/base/a.c': HEAD + '#include "observe/o.h"\n'},
        {'src/observe/o.c': HEAD + '#  include "watch/s.h"\n'},
        {'src/module/m.c': HEAD + '#include "monitor/jank-monitor.h"\n'},
        {'src/watch/s.c': HEAD + '#include "../report/r.h"\n'},
        {'src/watch/s.c': HEAD + '#include "jankwatch.h"\n'},
        {'src/other/x.c': HEAD},
    ],
    'order': [
        {'src/meson.build': "stages = [\n  'observe',\n  'base',\n  'watch',\n]\nsubdir('module')\n"},
        {'src/export/x.c': HEAD},
    ],
    'top-level': [{'docs/x': ''}, {'Makefile': ''}],
    'sizes': [{'src/base/a.c': HEAD + '\n' * MAX_LINES},
              {'tests/x/y.py': HEAD + '#' * (MAX_COLUMNS + 1)}, {'meson.build': '\n' * (MAX_TOP_MESON_LINES + 1)}],
    'spdx': [{'src/base/a.c': '\n' + HEAD}, {'tests/x/y.py': '#!/usr/bin/env python3\n'}],
    'translations': [{'src/base/a.c': HEAD + 'f (N_("text"));\n'}, {'po/POTFILES': ''},
                     {'po/POTFILES': 'src/observe/o.c\nsrc/gone.c\n'},
                     {'src/base/a.c': HEAD + 'g (ngettext ("%d", "%d", n));\n'}],
    'private-layouts': [{'src/gobject/g.c': HEAD + 'jank_memory_read_all (1);\n'},
                        {'src/base/a.c': HEAD + '/* Private layout: a list.\n */'}, {'src/observe/n.c': HEAD},
                        {'src/DESIGN.md': '| a node | `observe/n.c` | checked | lost | `observe/n` |\n'},
                        {'src/DESIGN.md': '## Private layouts\n| a node | `observe/n.c` | y | z | `observe/gone` |\n'}],
    'map': [{'src/base/a.c': HEAD}],
    'names': [{'src/watch/s.c': HEAD + '#include "observe/o.h"\ng_timeout_add_full (1);\nstatic void\nlook (void)\n'}],
    'copies': [{'src/base/a.c': HEAD + 'int\njank_a (void)\n{\n  jank_memory_copy_sigsafe (to, from, 1);\n}\n'}],
    'twice': [{'src/base/b.h': HEAD + 'x = MIN (x, MAX (get_ns (), y)) + ABS (jank_look (y));\n'}],
    'macros': [{'src/base/b.h': HEAD + '#define f(x) \\\n  f (x, 1)\n#define g h\n'}],
    'suppressions': [{'tests/sample/tsan.supp': 'race:jank_gone\n'}],
    'sources': [{'src/base/a.c': HEAD}, {'src/watch/t.c': HEAD + 'jank_errands_attach (s, c);\n'}],
}


def make_tree(folder: pathlib.Path, files: dict[str, str]) -> pathlib.Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
    return folder


def run_on_small_trees(name: str) -> list[str]:
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        found = CHECKS[name](make_tree(pathlib.Path(folder), GOOD))
        if found:
            wrong.append(f'{name} finds fault with a good tree: {found}')
    for bad in BAD[name]:
        with tempfile.TemporaryDirectory() as folder:
            if len(CHECKS[name](make_tree(pathlib.Path(folder), GOOD | bad))) != 1:
                wrong.append(f'{name} does not find, once, what is wrong with {sorted(bad)}')
    return wrong


def report(wrong: list[str]) -> None:
    tap.check(not wrong, '\n'.join(wrong))


ROOT = pathlib.Path(*tap.arguments(1))
for name in CHECKS:
    tap.add(f'finds/{name}', lambda name=name: report(run_on_small_trees(name)))
for name, check in CHECKS.items():
    tap.add(name, lambda check=check: report(check(ROOT)))
tap.main('/tree')
