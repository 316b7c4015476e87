// SPDX-FileCopyrightText: the jankwatch authors
// SPDX-License-Identifier: LGPL-2.1-or-later

// As starter.c, by the C functions themselves.

use std::ffi::{c_char, c_int, c_void, CString};
use std::{ptr::null, ptr::null_mut, thread::sleep, time::Duration};

type Object = *mut c_void;

#[link(name = "gtk-4")]
#[link(name = "gio-2.0")]
#[link(name = "gobject-2.0")]
#[link(name = "glib-2.0")]
extern "C" {
    fn gtk_init();
    fn gtk_application_new(id: *const c_char, flags: c_int) -> Object;
    fn gtk_application_window_new(application: Object) -> Object;
    fn gtk_window_present(window: Object);
    fn g_application_run(application: Object, argc: c_int, argv: *const *const c_char) -> c_int;
    fn g_application_quit(application: Object);
    fn g_application_activate(application: Object);
    fn g_signal_connect_data(object: Object, name: *const c_char, f: *const c_void, data: Object, notify: Object,
                             flags: c_int) -> u64;
    fn g_timeout_add_once(ms: u32, f: unsafe extern "C" fn(Object), data: Object) -> u32;
    fn g_bus_get_sync(kind: c_int, cancellable: Object, error: Object) -> Object;
    fn g_dbus_connection_call_sync(bus: Object, name: *const c_char, path: *const c_char, interface: *const c_char,
                                   method: *const c_char, values: Object, kind: Object, flags: c_int, ms: c_int,
                                   cancellable: Object, error: Object) -> Object;
}

fn text(text: &str) -> *const c_char {
    CString::new(text).unwrap().into_raw()
}

fn word(n: usize) -> String {
    std::env::args().nth(n).unwrap()
}

fn ms() -> u64 {
    word(2).parse().unwrap()
}

#[inline(never)]
fn load_things() {
    sleep(Duration::from_millis(ms()));
    std::hint::black_box(ms()); // else the call of sleep() replaces this function's
}

fn slow_at(place: &str) {
    if word(1) == place {
        load_things();
    }
}

#[inline(never)]
unsafe fn call_service() {
    g_dbus_connection_call_sync(g_bus_get_sync(2, null_mut(), null_mut()), text("org.example.Mute"),
                                text("/org/example/Mute"), text("org.example.Mute"), text("ListAll"), null_mut(),
                                null_mut(), 0, ms() as c_int, null_mut(), null_mut());
}

unsafe extern "C" fn startup(_application: Object) {
    slow_at("startup");
}

unsafe extern "C" fn activate(application: Object) {
    slow_at("activate");
    if word(1) == "dbus" {
        call_service();
    }
    gtk_window_present(gtk_application_window_new(application));
    slow_at("presented");
    g_timeout_add_once(700, g_application_quit, application);
}

unsafe extern "C" fn command_line(application: Object, _line: Object) -> c_int {
    g_application_activate(application);
    0
}

fn main() {
    unsafe {
        slow_at("main");
        gtk_init();
        slow_at("initialized");
        let flags = if word(1) == "second" { 8 } else { 32 };
        let application = gtk_application_new(text("org.example.Starter"), flags);
        let handlers: [(&str, *const c_void); 3] = [
            ("startup", startup as *const c_void), ("activate", activate as *const c_void),
            ("command-line", command_line as *const c_void)];
        for (name, handler) in handlers {
            g_signal_connect_data(application, text(name), handler, null_mut(), null_mut(), 0);
        }
        g_application_run(application, 0, null());
    }
}
