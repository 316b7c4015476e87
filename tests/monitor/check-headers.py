#!/usr/bin/env python3
# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Compiles every public header alone, in C and in C++, as a program would use it.

Usage: check-headers.py SRC WORK CC CXX GLIB-FLAGS… -- INSTALLED-HEADER…

<jankwatch.h> must do; every other header must do behind the macro by which <jankwatch.h> brings it in, and
must refuse to be included without.
"""

import pathlib
import shlex
import subprocess
import sys


def compiles(compiler: str, language: str, flags: list[str], text: str, work: pathlib.Path) -> tuple[bool, str]:
    source = work / f'header.{language}'
    source.write_text(text, encoding='utf-8')
    result = subprocess.run(
        [*shlex.split(compiler), '-fsyntax-only', '-Wall', '-Wextra', '-Werror', *flags, str(source)],
        capture_output=True, text=True)
    return result.returncode == 0, result.stderr


def main() -> int:
    source, work, cc, cxx = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    separator = sys.argv.index('--')
    flags = [f'-I{source}', *sys.argv[5:separator]]
    headers = sys.argv[separator + 1:]
    work.mkdir(parents=True, exist_ok=True)
    compilers = [(cc, 'c', ['-std=c99']), (cc, 'c', ['-std=gnu11']), (cxx, 'cpp', ['-std=c++11']), (cxx, 'cpp', ['-std=c++20'])]
    failures = 0
    n_tests = 0

    def check(name: str, text: str, expected: bool, language: str, compiler: str, standard: list[str]) -> None:
        nonlocal failures, n_tests
        n_tests += 1
        good, messages = compiles(compiler, language, [*standard, *flags], text, work)
        passed = good == expected
        failures += not passed
        print(f'{"ok" if passed else "not ok"} {n_tests} {name} {standard[0]}')
        if not passed:
            print(''.join(f'# {line}\n' for line in messages.splitlines()[:20]), end='')

    for compiler, language, standard in compilers:
        check('jankwatch.h', '#include <jankwatch.h>\n', True, language, compiler, standard)
        # Twice, and after GLib's own.
        check('jankwatch.h twice', '#include <glib-object.h>\n#include <jankwatch.h>\n#include <jankwatch.h>\n',
              True, language, compiler, standard)
        for header in headers:
            inside = f'#define JANKWATCH_INSIDE\n#include "{header}"\n#undef JANKWATCH_INSIDE\n'
            check(f'{header} alone', inside, True, language, compiler, standard)
            if 'version-macros' not in header:
                check(f'{header} refuses', f'#include "{header}"\n', False, language, compiler, standard)
    print(f'1..{n_tests}')

    # What is tested is what is there.
    named = {str(path.relative_to(source)) for path in source.glob('*/*.h') if not path.stem.endswith('-private')
             and path.parent.name in ('base', 'frames', 'report', 'monitor')}
    if named != set(headers):
        print(f'# public headers of the library that are not tested: {sorted(named - set(headers))}')
        print(f'# tested, but not there: {sorted(set(headers) - named)}')
        return 1
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
