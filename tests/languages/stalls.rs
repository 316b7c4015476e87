// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As stalls.c; GLib is called directly, no crate is needed.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::time::Duration;

#[link(name = "gio-2.0")]
extern "C" {
    fn g_vfs_get_default() -> *mut c_void;
}

#[link(name = "glib-2.0")]
extern "C" {
    fn g_main_loop_new(context: *mut c_void, running: i32) -> *mut c_void;
    fn g_main_loop_run(main_loop: *mut c_void);
    fn g_main_loop_quit(main_loop: *mut c_void);
    fn g_main_context_new() -> *mut c_void;
    fn g_timeout_source_new(ms: u32) -> *mut c_void;
    fn g_source_set_callback(source: *mut c_void, callback: extern "C" fn(*mut c_void) -> i32, data: *mut c_void, notify: *mut c_void);
    fn g_source_attach(source: *mut c_void, context: *mut c_void) -> u32;
    fn g_timeout_add(ms: u32, callback: extern "C" fn(*mut c_void) -> i32, data: *mut c_void) -> u32;
}

extern "C" {
    fn clock() -> i64;
}

struct Window {
    main_loop: *mut c_void,
    length: Duration,
    turn: u32,
    sink: usize,
}

impl Window {
    #[inline(never)]
    fn stall_compute(&mut self) {
        let until = unsafe { clock() } + self.length.as_micros() as i64;
        let mut sums = BTreeMap::new();
        while unsafe { clock() } < until {
            for i in 0..1000usize {
                *sums.entry(i.to_string()).or_insert(0) += i;
            }
        }
        self.sink += sums.len();
    }

    #[inline(never)]
    fn stall_sleep(&mut self) {
        std::thread::sleep(self.length);
        self.sink += 1;
    }

    #[inline(never)]
    fn stall_library(&mut self) {
        let until = unsafe { clock() } + self.length.as_micros() as i64;
        while unsafe { clock() } < until {
            let mut numbers: Vec<usize> = (0..20000).map(|i| i * 7919 % 20011).collect();
            numbers.sort_by(|a, b| (a % 1000).cmp(&(b % 1000)));
            self.sink += numbers[0];
        }
    }

    #[inline(never)]
    fn stall_loop(&mut self) {
        unsafe {
            let context = g_main_context_new();
            let own = g_main_loop_new(context, 0);
            let source = g_timeout_source_new(self.length.as_millis() as u32);
            g_source_set_callback(source, quit_cb, own, std::ptr::null_mut());
            g_source_attach(source, context);
            g_main_loop_run(own);
        }
        self.sink += 1;
    }
}

extern "C" fn quit_cb(main_loop: *mut c_void) -> i32 {
    unsafe { g_main_loop_quit(main_loop) };
    0
}

extern "C" fn turn_cb(data: *mut c_void) -> i32 {
    let window = unsafe { &mut *(data as *mut Window) };
    match window.turn {
        0 => window.stall_compute(),
        1 => window.stall_sleep(),
        2 => window.stall_library(),
        3 => window.stall_loop(),
        _ => unsafe { g_main_loop_quit(window.main_loop) },
    }
    window.turn += 1;
    1
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    unsafe {
        let main_loop = g_main_loop_new(std::ptr::null_mut(), 0);
        let mut window = Window { main_loop, length: Duration::from_secs_f64(seconds), turn: 0, sink: 0 };
        // Loads GIO's modules.
        g_vfs_get_default();
        g_timeout_add(100, turn_cb, &mut window as *mut Window as *mut c_void);
        g_main_loop_run(main_loop);
        println!("{}", window.sink);
    }
}
