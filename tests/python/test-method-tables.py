# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Names of Python's C functions, each compared with what Python calls it. Argument: the library that finds them."""

import collections
import ctypes
import importlib
import pkgutil
import sys
import sysconfig
import types

library = ctypes.CDLL(sys.argv[1])
library.method_names_begin.argtypes = [ctypes.c_uint64]
library.method_names_find.argtypes = [ctypes.c_uint64, ctypes.c_char_p, ctypes.c_size_t]
KINDS = (types.BuiltinFunctionType, types.MethodDescriptorType, types.ClassMethodDescriptorType)
# A descriptor has its type, name and qualified name before its PyMethodDef; a function has nothing.
METHOD_OF_FUNCTION, METHOD_OF_DESCRIPTOR = 16, 40


def read(address):
    return ctypes.c_uint64.from_address(address).value


def load_all():
    folder = f"{sysconfig.get_path('stdlib')}/lib-dynload"
    for name in [*sys.builtin_module_names, *(module.name for module in pkgutil.iter_modules([folder]))]:
        if "test" not in name:
            try:
                importlib.import_module(name)
            except ImportError:
                pass


def all_types():
    found, left = set(), [object]
    while left:
        kind = left.pop()
        if kind not in found:
            found.add(kind)
            left += type.__subclasses__(kind)
    return found


def full_name(owner, name):
    return f"{'os' if owner == 'posix' else owner}.{name}"


def names_of_all():
    """Address of a C function → what it may be called."""
    names = collections.defaultdict(set)
    for module in [module for module in sys.modules.values() if isinstance(module, types.ModuleType)]:
        for value in vars(module).values():
            # Others are methods of an object.
            if type(value) is types.BuiltinFunctionType and isinstance(value.__self__,
                                                                       (types.ModuleType, types.NoneType)):
                owner = value.__module__ or ""
                names[read(read(id(value) + METHOD_OF_FUNCTION) + 8)].add(full_name(owner, value.__name__))
    for kind in all_types():
        for value in vars(kind).values():
            value = value.__func__ if isinstance(value, staticmethod) else value
            if type(value) in KINDS:
                offset = METHOD_OF_FUNCTION if type(value) is types.BuiltinFunctionType else METHOD_OF_DESCRIPTOR
                owner = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
                names[read(read(id(value) + offset) + 8)].add(full_name(owner, value.__name__))
    return names


def find(function):
    text = ctypes.create_string_buffer(256)
    return text.value.decode() if library.method_names_find(function, text, len(text)) else None


def recall(functions):
    """Names all of them twice. Returns: how many have a name, the same name again, seconds for the first and for the
    second"""
    n_same, first_ns, again_ns = ctypes.c_uint(), ctypes.c_int64(), ctypes.c_int64()
    n_named = library.method_names_recall((ctypes.c_uint64 * len(functions))(*functions), len(functions),
                                          ctypes.byref(n_same), ctypes.byref(first_ns), ctypes.byref(again_ns))
    return n_named, n_same.value, first_ns.value / 1e9, again_ns.value / 1e9


def main():
    load_all()
    names = names_of_all()
    library.method_names_begin(ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value)
    found = {function: find(function) for function in names}
    named = {function: name for function, name in found.items() if name is not None}
    # A module's definition calls io what its functions call _io.
    wrong = {name: names[function] for function, name in named.items()
             if name.lstrip("_") not in {truth.lstrip("_") for truth in names[function]}}
    inside = {name: find(function + 1) for function, name in named.items() if find(function + 1) is not None}
    n_named, n_same, first_s, again_s = recall(list(names))
    print("1..5")
    print(f"# all in {first_s * 1e3:.1f} ms, again in {again_s * 1e3:.2f}")
    print(f"# {len(names)} functions, {len(named)} named, {len(wrong)} wrong; Python {sys.version.split()[0]}")
    for name, truth in list(wrong.items())[:40]:
        print(f"# {name} is {sorted(truth)}")
    for what, ok in (("most have a name", len(named) > len(names) * 0.8),
                     ("none is wrong", not wrong),
                     ("only a function's beginning has one", not inside),
                     ("they are remembered", n_named == len(named) and n_same == len(names) and again_s < first_s / 10),
                     ("modules', types' and heap types' functions are known",
                      {"time.sleep", "os.read", "list.sort", "zlib.compress",
                       "sqlite3.Connection.execute"} <= set(named.values()))):
        print(f"{'ok' if ok else 'not ok'} - {what}")


main()
