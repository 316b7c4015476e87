# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""A program that links the library hears of each frame from the monitor that its user has asked for."""

import tap
import watched
from watched import BUILD

LISTENER = BUILD / "tests/module/listener"


def test_frames():
    with watched.display() as display:
        program = watched.run(LISTENER, display=display, extra={"GIO_USE_VFS": None, "LD_LIBRARY_PATH": BUILD / "src"})

    tap.check(program.truth["drawn"] >= 30, "frames were drawn:", program.truth, program.errors)
    tap.check_equal(program.truth["heard"], program.truth["drawn"], f"the frames it heard of ({program.errors})")


tap.add("frames", test_frames)
tap.main("/module/listener")
