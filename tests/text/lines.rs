// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// Functions of test-report-lines.c. rustc describes each within its module, as clang does with those of a namespace.

#![no_std]

extern "C" {
    fn remember();
}

pub mod notes {
    #[inline(always)]
    fn parse_line() {
        unsafe { super::remember() };
    }

    #[no_mangle]
    #[inline(never)]
    pub extern "C" fn load_notes() -> i32 {
        parse_line();
        1
    }
}
