# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Processes that wait for each other in a way that is known because it was built so.

A hop is how one process waits for the next: its row in HOPS says what both ends do. A process's descriptors are those
of its own hops and no others, so that nobody else could answer."""

import contextlib
import ctypes
import fcntl
import mmap
import os
import pathlib
import pty
import select
import signal
import socket
import struct
import tempfile
import time

libc = ctypes.CDLL(None, use_errno=True)
FOR_EVER_S = 600
F_OFD_SETLKW = 38
PR_SET_DUMPABLE, PR_SET_NAME = 4, 15
BLOCK = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0)


class Hop:
    """made: before any process is there; held: by the one who is waited for; begun: by the waiter, before the other end
    answers; taken: by the one who is waited for, afterwards; waits: for ever."""

    kind = "socket"

    def __init__(self, folder, n):
        self.path = os.path.join(folder, f"hop-{n}")
        self.waiter, self.holder = [], []
        self.made()

    def made(self):
        pass

    held = begun = taken = made


class Pair(Hop):
    def made(self):
        a, b = socket.socketpair()
        self.waiter, self.holder = [a.detach()], [b.detach()]

    def waits(self):
        os.read(self.waiter[0], 1)


class PairFull(Pair):
    def waits(self):
        while True:
            os.write(self.waiter[0], bytes(65536))


class PairPoll(Pair):
    polls = True

    def waits(self):
        poll = select.poll()
        poll.register(self.waiter[0], select.POLLIN)
        poll.poll()


class Listening(Hop):
    family, server_family, accepts = socket.AF_UNIX, None, True

    def made(self):
        listener = socket.socket(self.server_family or self.family)
        listener.bind(self.path if self.family == socket.AF_UNIX else ("::" if self.server_family else "127.0.0.1", 0))
        listener.listen()
        self.address = listener.getsockname()
        if self.server_family:
            self.address = "127.0.0.1", self.address[1]
        self.holder = [listener.detach()]

    def begun(self):
        self.client = socket.socket(self.family)
        self.client.connect(self.address)

    def taken(self):
        if self.accepts:
            listener = socket.socket(fileno=self.holder[0])
            self.server, _ = listener.accept()
            listener.close()

    def waits(self):
        self.client.send(b"q")
        self.client.recv(1)


class NotAccepted(Listening):
    accepts = False


class Tcp(Listening):
    family = socket.AF_INET


class TcpNotAccepted(Tcp):
    accepts = False


class TcpMapped(Tcp):
    """The server has the client's IPv4 address as one of IPv6."""

    server_family = socket.AF_INET6


class Udp(Hop):
    def made(self):
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 0))
        self.address = server.getsockname()
        self.holder = [server.detach()]

    def begun(self):
        self.client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.client.connect(self.address)

    def waits(self):
        self.client.send(b"q")
        self.client.recv(1)


class Pipe(Hop):
    kind = "pipe"

    def made(self):
        read, write = os.pipe()
        self.waiter, self.holder = [read], [write]

    def waits(self):
        os.read(self.waiter[0], 1)


class PipeFull(Pipe):
    waits = PairFull.waits

    def made(self):
        super().made()
        self.waiter, self.holder = self.holder, self.waiter


class Fifo(Pipe):
    def made(self):
        os.mkfifo(self.path)
        both = os.open(self.path, os.O_RDWR)
        self.waiter, self.holder = [os.open(self.path, os.O_RDONLY)], [os.open(self.path, os.O_WRONLY)]
        os.close(both)


class Terminal(PipeFull):
    kind = "terminal"

    def made(self):
        master, slave = pty.openpty()
        self.waiter, self.holder = [slave], [master]


class Event(Hop):
    kind = "eventfd"

    def made(self):
        self.waiter = [os.eventfd(0)]
        self.holder = [os.dup(self.waiter[0])]

    def waits(self):
        os.eventfd_read(self.waiter[0])


class Flock(Hop):
    kind = "file-lock"

    def opened(self):
        return os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)

    def take(self, fd):
        fcntl.flock(fd, fcntl.LOCK_EX)

    def held(self):
        self.fd = self.opened()
        self.take(self.fd)

    def waits(self):
        self.take(self.opened())


class Posix(Flock):
    def take(self, fd):
        fcntl.lockf(fd, fcntl.LOCK_EX)


class Ofd(Flock):
    def take(self, fd):
        fcntl.fcntl(fd, F_OFD_SETLKW, BLOCK)


class Inherited(Flock):
    """Whoever took the lock is gone."""

    def made(self):
        self.holder = [self.opened()]

    def held(self):
        if os.fork() == 0:
            fcntl.flock(self.holder[0], fcntl.LOCK_EX)
            os._exit(0)
        os.wait()


class Lease(Flock):
    kind = "lease"

    def held(self):
        os.close(self.opened())
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        self.fd = os.open(self.path, os.O_RDONLY)
        fcntl.fcntl(self.fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)

    def waits(self):
        os.open(self.path, os.O_RDWR)


class Child(Hop):
    kind = "child"

    def waits(self):
        os.waitpid(self.pid, 0)


class AnyChild(Child):
    def waits(self):
        os.wait()


class Mutex(Hop):
    """One that processes share."""

    kind, robust = "lock", False

    def made(self):
        self.memory = mmap.mmap(-1, 4096)
        self.lock = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        attributes = ctypes.create_string_buffer(64)
        libc.pthread_mutexattr_init(attributes)
        libc.pthread_mutexattr_setpshared(attributes, 1)
        if self.robust:
            libc.pthread_mutexattr_setrobust(attributes, 1)
        libc.pthread_mutex_init(ctypes.c_void_p(self.lock), attributes)

    def held(self):
        libc.pthread_mutex_lock(ctypes.c_void_p(self.lock))

    waits = held


class RobustMutex(Mutex):
    robust = True


HOPS = {hop.__name__: hop for hop in (
    Pair, PairFull, PairPoll, Listening, NotAccepted, Tcp, TcpNotAccepted, TcpMapped, Udp, Pipe, PipeFull, Fifo,
    Terminal, Event, Flock, Posix, Ofd, Inherited, Lease, Child, AnyChild, Mutex, RobustMutex)}


def computes():
    while True:
        pass


def polls():
    poll = select.poll()
    for fd in os.pipe() + os.pipe():
        poll.register(fd, select.POLLIN)
    poll.poll()


# What the last process does, and what that is called.
ENDS = {"sleep": lambda: time.sleep(FOR_EVER_S), "computing": computes, "idle": polls,
        "stopped": lambda: os.kill(os.getpid(), signal.SIGSTOP), "person": lambda: os.read(pty.openpty()[1], 1),
        "signal": lambda: signal.sigwait([signal.SIGUSR1])}
CAUSES = {"signal": "idle"}


def calls(pids):
    """What all threads of processes are in."""
    return [path.read_text().strip() for pid in pids for path in pathlib.Path(f"/proc/{pid}/task").glob("*/syscall")]


def is_zombie(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z"


def children_of(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def settle(pids):
    """Until they rest."""
    deadline, before = time.monotonic() + 60, None
    while before != calls(pids) or "running" in before:
        assert time.monotonic() < deadline, "a planted chain did not come to rest"
        before = calls(pids)
        time.sleep(0.02)


class Planted:
    """A chain of processes, the first to the last, each waiting for the next by a hop; end: of ENDS, or None, when the
    last hop leads to the first process. uid: of the first; name: of all; inherit: each keeps the descriptors of all."""

    def __init__(self, hops, end, uid=None, name=None, inherit=False):
        self.folder = tempfile.TemporaryDirectory()
        os.chmod(self.folder.name, 0o755)
        self.hops = [HOPS[hop](self.folder.name, n) for n, hop in enumerate(hops)]
        self.end, self.uid, self.name, self.inherit = end, uid, name, inherit
        self.n = len(hops) + (end is not None)
        self.shared = mmap.mmap(-1, 4096 + 8 * self.n)
        self.ready, self.go = os.pipe(), os.pipe()
        for i in reversed(range(self.n)):
            if not self._is_child(i):
                self._spawn(i)
        for _ in range(self.n):
            os.read(self.ready[0], 1)
        os.write(self.go[1], bytes(self.n))
        for fd in self._hop_fds():
            os.close(fd)
        self.pids = [struct.unpack_from("q", self.shared, 4096 + 8 * i)[0] for i in range(self.n)]
        self._settle()

    def _hop_fds(self):
        return [fd for hop in self.hops for fd in hop.waiter + hop.holder]

    def _before(self, i):
        """The hop by which process i is waited for."""
        return self.hops[i - 1] if i > 0 or self.end is None else None

    def _is_child(self, i):
        return isinstance(self._before(i), Child)

    def _spawn(self, i):
        pid = os.fork()
        if pid == 0:
            try:
                self._run(i)
            finally:
                os._exit(1)
        return pid

    def _run(self, i):
        os.umask(0)
        struct.pack_into("q", self.shared, 4096 + 8 * i, os.getpid())
        before, after = self._before(i), self.hops[i] if i < len(self.hops) else None
        if isinstance(after, Child):
            after.pid = self._spawn(i + 1)
        kept = (before.holder if before else []) + (after.waiter if after else [])
        for fd in self._hop_fds():
            if fd not in kept and not self.inherit:
                os.close(fd)
        if before:
            before.held()
        if after:
            after.begun()
        if self.name:
            libc.prctl(PR_SET_NAME, self.name)
        if self.uid is not None and i == 0:
            os.setgroups([])
            os.setgid(self.uid)
            os.setuid(self.uid)
            libc.prctl(PR_SET_DUMPABLE, 1)
        os.write(self.ready[1], b"r")
        os.read(self.go[0], 1)
        if before:
            before.taken()
        for fd in self.ready + self.go:
            os.close(fd)
        self.shared[i] = 1
        after.waits() if after else ENDS[self.end]()

    def _settle(self):
        """Until each has come to its last call, and has stayed there."""
        deadline = time.monotonic() + 60
        while not all(self.shared[i] for i in range(self.n)):
            assert time.monotonic() < deadline, "a planted chain was not set up"
            time.sleep(0.002)
        settle(self.pids[: -1 if self.end == "computing" else None])
        assert not any(is_zombie(pid) for pid in self.pids), "a process of a planted chain has ended"

    def close(self):
        for pid in self.pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in self.pids:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        for fd in self.ready + self.go:
            os.close(fd)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
