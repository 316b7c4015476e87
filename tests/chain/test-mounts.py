# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""File systems that a process serves, and does not."""

import contextlib
import os
import platform
import tempfile
import time

import planted
import tap
from planted import libc
from tap import equal
from why import why

MNT_DETACH = 2


@contextlib.contextmanager
def mounted():
    """A FUSE mount whose server never answers. Returns: its folder, and the server's process"""
    if os.getuid() != 0 or not os.path.exists("/dev/fuse"):
        raise tap.Skip("only root can mount, and only with FUSE")
    with tempfile.TemporaryDirectory() as folder:
        read, write = os.pipe()
        server = os.fork()
        if server == 0:
            fd = os.open("/dev/fuse", os.O_RDWR)
            options = f"fd={fd},rootmode=40000,user_id=0,group_id=0".encode()
            done = libc.mount(b"test", folder.encode(), b"fuse.test", 0, options)
            os.write(write, b"y" if done == 0 else b"n")
            time.sleep(planted.FOR_EVER_S)
        try:
            if os.read(read, 1) != b"y":
                raise tap.Skip("this machine does not let root mount")
            yield folder, server
        finally:
            libc.umount2(folder.encode(), MNT_DETACH)
            os.kill(server, 9)
            os.waitpid(server, 0)
            os.close(read)
            os.close(write)


def test_a_mount_whose_server_sleeps():
    with mounted() as (folder, server):
        reader = os.fork()
        if reader == 0:
            os.open(folder + "/a", os.O_RDONLY)
            os._exit(1)
        try:
            planted.settle([reader])
            found = why(reader)
            equal(found["links"][0]["filesystem"], "fuse.test")
            equal(found["links"][0]["mount"], folder)
            # Older kernels do not tell which process has which connection.
            if tuple(map(int, platform.release().split(".")[:2])) >= (6, 16):
                equal([link["pid"] for link in found["links"]], [reader, server])
                equal(found["cause"], "sleep")
            else:
                equal(found["cause"], "mount")
        finally:
            os.kill(reader, 9)
            os.waitpid(reader, 0)


tap.add_all(globals())
tap.main("/chain/mounts")
