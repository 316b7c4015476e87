# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Python calls of samples of a program that makes and drops all that can be called, each compared with what the program
itself keeps on its stack. Arguments: the library that samples, the number of samples."""

import ctypes
import sys
import threading
import time

try:
    import _interpreters as interpreters
except ImportError:  # before 3.13
    import _xxsubinterpreters as interpreters

LIBRARY, N_SAMPLES = sys.argv[1], int(sys.argv[2])
library = ctypes.PyDLL(LIBRARY)
library.calls_truth_work.argtypes = [ctypes.c_char_p, ctypes.c_int64]
library.calls_truth_begin.argtypes = [ctypes.c_int64]
N_FUNCTIONS = 25


def work(truth):
    library.calls_truth_work(f"work;{truth}".encode(), 60)


def made(n):
    """A function that exists for one call; the next is likely to be made where it was."""
    name = f"made_{n % 700:03}"
    space = {"work": work}
    exec(compile(f"def {name}(truth):\n    work('{name};' + truth)\n", f"file_{n % 7}.py", "exec"), space)
    space.pop(name)("made;turn;")


def generate(n):
    for _ in range(2):
        yield work("generate;generators;turn;")


def generators(n):
    for _ in generate(n):
        pass
    sum(1 for _ in (work("generators.<locals>.<genexpr>;generators.<locals>.<genexpr>;generators;turn;")
                    for _ in range(1)))


async def wait_for(n):
    work("wait_for;coroutine;coroutines;turn;")


async def coroutine(n):
    await wait_for(n)


def coroutines(n):
    try:
        coroutine(n).send(None)
    except StopIteration:
        pass


def fail(n):
    try:
        raise ValueError(n)
    except ValueError:
        work("fail;exceptions;turn;")
        raise


def exceptions(n):
    try:
        fail(n)
    except ValueError:
        work("exceptions;turn;")


class Sorted:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        work("Sorted.__lt__;natives;turn;")
        return self.n < other.n


def natives(n):
    sorted([Sorted(n % 3), Sorted(n % 5)])


def descend(n, truth):
    truth = "descend;" + truth
    if n > 0:
        descend(n - 1, truth)
    else:
        work(truth)


def deep(n):
    descend(n % 15, "deep;turn;")


def threads(n):
    thread = threading.Thread(target=sum, args=([1, 2],))
    thread.start()
    thread.join()


# Code made for each run would die with it, and what is made next at its address would be taken for known.
KEEP = "import sys; kept = globals().get('kept', []); kept.append(sys._getframe().f_code); "
INSIDE = f"""
import ctypes
library = ctypes.PyDLL({LIBRARY!r})
library.calls_truth_work.argtypes = [ctypes.c_char_p, ctypes.c_int64]
def inside(outer):
    # From 3.13 on each run has a state of its own, which the next request finds.
    library.calls_truth_wait_for_sample()
    library.calls_truth_work(f"inside;{{outer}}".encode(), 8000)
"""
BETWEEN = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
def between(outer):
    interpreters.run_string(INNER, KEEP + f"inside('between;{outer}')")
"""


def make_interpreter(script):
    # Before 3.13, ctypes is not for isolated ones.
    made = interpreters.create() if sys.version_info >= (3, 13) else interpreters.create(isolated=False)
    interpreters.run_string(made, script)
    return made


inner = make_interpreter(INSIDE)
middle = make_interpreter(f"INNER, KEEP = {int(inner)}, {KEEP!r}" + BETWEEN)


def inside_one(n):
    interpreters.run_string(inner, KEEP + "inside('inside_one;turn;')")


def inside_two(n):
    interpreters.run_string(middle, KEEP + "between('inside_two;turn;')")


def short_lived(n):
    """An interpreter that ends, and one that another thread uses."""
    interpreters.destroy(make_interpreter("pass"))
    work("short_lived;turn;")
    thread = threading.Thread(target=interpreters.run_string, args=(inner, "for n in range(100000): pass"))
    thread.start()
    work("short_lived;turn;")
    thread.join()


def turn(n):
    kinds = (made, generators, made, coroutines, made, exceptions, natives, deep)
    kinds[n % len(kinds)](n)
    if n % 50 == 0:
        threads(n)
    if n % 100 == 0:
        inside_one(n)
        inside_two(n)
    if n % 500 == 0:
        short_lived(n)


def call_all(functions):
    """Functions that stay, one in the other."""
    if functions:
        functions[0](functions[1:])
    else:
        library.calls_truth_work(b"", 1000)


def run(n_samples, do_turn):
    """Returns what the library counted."""
    counts = (ctypes.c_uint64 * 9)()
    library.calls_truth_begin(1000)
    begin = time.monotonic()
    n = 0
    # A sample takes a tick of the kernel's: 1 to 4 ms.
    while n % 64 or (library.calls_truth_count() < n_samples or time.monotonic() < begin + 2) \
            and time.monotonic() < begin + max(10, n_samples * 0.1):
        do_turn(n)
        n += 1
    library.calls_truth_end(counts)
    return counts


def main():
    samples, with_truth, right, wrong, without, median_ns, p99_ns, _, _ = run(N_SAMPLES, turn)
    print("1..4")
    print(f"# {samples} samples, {with_truth} with a truth: {right} right, {wrong} wrong, {without} without calls; "
          f"handler {median_ns / 1000:.1f} µs median, {p99_ns / 1000:.1f} µs p99; Python {sys.version.split()[0]}")
    print("ok 1 - enough samples" if with_truth >= N_SAMPLES // 5 else "not ok 1 - enough samples")
    print("ok 2 - none is wrong" if wrong == 0 else "not ok 2 - none is wrong")
    print("ok 3 - few are without calls" if without <= max(2, with_truth // 100)
          else "not ok 3 - few are without calls")
    # A frame of each is a code object of its own; so many that some share a place in the table of known ones.
    space = {"call_all": call_all}
    for n in range(N_FUNCTIONS):
        exec(f"def stays_{n}(functions): call_all(functions)", space)
    functions = [space[f"stays_{n}"] for n in range(N_FUNCTIONS)]
    _, _, _, _, _, median_ns, p99_ns, late, read_late = run(N_SAMPLES, lambda n: call_all(functions))
    print(f"# calls that stay: handler {median_ns / 1000:.1f} µs median, {p99_ns / 1000:.1f} µs p99; {late} late "
          f"samples read {read_late} code objects")
    print("ok 4 - known code is not read again" if late >= 50 and read_late == 0 else
          "not ok 4 - known code is not read again")


main()
