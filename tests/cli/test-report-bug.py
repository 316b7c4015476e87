# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""`jankwatch report-bug`: the page that it opens, by a browser that writes down its URL, of programs with AppStream
metadata."""

import glob
import json
import os
import pathlib
import platform
import subprocess
import time
import urllib.parse

import command
import tap
from tap import contains, equal

program, make_store = map(os.path.abspath, tap.arguments(2))
REPORT = "20261121-153012-4242-1"
METAINFO = """<?xml version="1.0"?><component><id>org.example.Program</id>
<url type="homepage">https://example.org/</url><url type="bugtracker">{}</url></component>"""
BROWSER = "[Desktop Entry]\nType=Application\nName=Browser\nExec={} %u\nMimeType=x-scheme-handler/https;\n"


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    pathlib.Path(path).write_text(text)
    os.chmod(path, mode)


def change(jankwatch, culprit=(), **fields):
    subprocess.run([make_store, jankwatch.store, "1"], check=True)
    path = os.path.join(jankwatch.store, REPORT + ".json")
    report = json.loads(pathlib.Path(path).read_text())
    report["app"].update(fields)
    report["culprit"].update(culprit)
    pathlib.Path(path).write_text(json.dumps(report))
    return report["app"]


def data_of(jankwatch):
    return os.path.join(jankwatch.home, "data")


def report_bug(jankwatch, *words, browser=True, **environment):
    """The URL, or None, and the command's result."""
    opened, script = (os.path.join(jankwatch.home, name) for name in ("opened", "browser.sh"))
    write(script, f'#!/bin/sh\nprintf %s "$1" >"{opened}.part"; mv "{opened}.part" "{opened}"\n', 0o755)
    if browser:
        write(os.path.join(data_of(jankwatch), "applications", "browser.desktop"), BROWSER.format(script))
        write(os.path.join(jankwatch.home, "config", "mimeapps.list"),
              "[Default Applications]\nx-scheme-handler/https=browser.desktop\n")
    result = jankwatch.run("report-bug", *(words or [REPORT]), **{
        "DISPLAY": ":9", "XDG_DATA_HOME": data_of(jankwatch), "XDG_DATA_DIRS": os.path.join(jankwatch.home, "none"),
        **environment})
    if result.returncode == 0 and result.stdout == "" or "in your browser" in result.stderr:
        while not os.path.exists(opened):
            time.sleep(0.01)
        url = pathlib.Path(opened).read_text()
        os.unlink(opened)
        return url, result
    return None, result


def fields_of(url):
    page, _, query = url.partition("?")
    return page, {name: values[0] for name, values in urllib.parse.parse_qs(query, strict_parsing=True).items()}


def tracked_by(jankwatch, tracker, name="metainfo/org.example.Program.metainfo.xml"):
    write(os.path.join(data_of(jankwatch), name), METAINFO.format(tracker))
    change(jankwatch, id="org.example.Program")


def markdown(jankwatch):
    return jankwatch.run("export", "--format=markdown", REPORT).stdout


def text_of(result):
    """What was printed, without the line about the program."""
    return result.stdout.partition("\n\n")[2]


def test_trackers(jankwatch):
    """The page of each kind, with a title that names program and function, a line about the program, and the text that
    `export` writes."""
    app = change(jankwatch, id="org.example.Program")
    text = markdown(jankwatch)
    gitlab, github = ("issue[title]", "issue[description]"), ("title", "body")
    for tracker, page, names in (
        ("https://gitlab.gnome.org/GNOME/gimp/-/issues/", "https://gitlab.gnome.org/GNOME/gimp/-/issues/new", gitlab),
        ("https://gitlab.gnome.org/GNOME/gimp/issues", "https://gitlab.gnome.org/GNOME/gimp/-/issues/new", gitlab),
        ("https://git.example/a/b/c/-/issues/new", "https://git.example/a/b/c/-/issues/new", gitlab),
        ("https://github.com/a/b", "https://github.com/a/b/issues/new", github),
        ("https://github.com/a/b/issues/new/choose", "https://github.com/a/b/issues/new", github),
        ("https://codeberg.org/a/b/issues", "https://codeberg.org/a/b/issues/new", github),
    ):
        tracked_by(jankwatch, tracker)
        url, result = report_bug(jankwatch)
        found, fields = fields_of(url)
        equal((tracker, found, sorted(fields)), (tracker, page, sorted(names)))
        about, _, body = fields[names[1]].partition("\n\n")
        equal((body, result.stdout, result.stderr), (text, "", ""))
        equal(about, f"{app['name']} {app['version']}, {platform.freedesktop_os_release()['PRETTY_NAME']}")
        equal(fields[names[0]], f"{app['name']} freezes for 1.24 s in compute_primes()")


def test_real_metadata(jankwatch):
    """gnome-text-editor's, as its package has it: appdata.xml or metainfo.xml."""
    path, = glob.glob("/usr/share/metainfo/org.gnome.TextEditor.*.xml")
    write(os.path.join(data_of(jankwatch), "metainfo", os.path.basename(path)), pathlib.Path(path).read_text())
    change(jankwatch, id="org.gnome.TextEditor")
    equal(fields_of(report_bug(jankwatch)[0])[0], "https://gitlab.gnome.org/GNOME/gnome-text-editor/-/issues/new")


def test_title(jankwatch):
    """80 letters at most; the package is the one that has the file."""
    tracked_by(jankwatch, "https://github.com/a/b")
    app = change(jankwatch, id="org.example.Program", exe="/usr/bin/dpkg-query", name="n" * 60)
    fields = fields_of(report_bug(jankwatch)[0])[1]
    equal((len(fields["title"]), fields["title"]), (80, (app["name"] + " freezes for 1.24 s in")[:79] + "…"))
    contains(fields["body"], ", package dpkg 1.")
    creation = {"function": "slot EditorPage.init", "callee": "load_font", "callee_share": 0.5}
    app = change(jankwatch, creation, id="org.example.Program")
    equal(fields_of(report_bug(jankwatch)[0])[1]["title"],
          f"{app['name']} freezes for 1.24 s in creating EditorPage: load_font() 50 %")


def test_desktop_file(jankwatch):
    """Who has no ID is found by what the desktop file starts."""
    tracked_by(jankwatch, "https://github.com/a/b", "appdata/org.example.Program.appdata.xml")
    change(jankwatch, id="", exe="/bin/true")
    write(os.path.join(data_of(jankwatch), "applications", "org.example.Activated.desktop"),
          "[Desktop Entry]\nType=Application\nName=A\nDBusActivatable=true\n")
    result = report_bug(jankwatch)[1]
    contains(command.unwrapped(result.stderr), "no file in share/metainfo names it")
    equal(result.returncode, 0)
    write(os.path.join(data_of(jankwatch), "applications", "org.example.Program.desktop"),
          "[Desktop Entry]\nType=Application\nName=P\nExec=true %U\n")
    equal(fields_of(report_bug(jankwatch)[0])[0], "https://github.com/a/b/issues/new")


def test_long(jankwatch):
    """What has no room in the URL is printed."""
    tracked_by(jankwatch, "https://github.com/a/b")
    path = os.path.join(jankwatch.store, REPORT + ".json")
    report = json.loads(pathlib.Path(path).read_text())
    for call in report["frames"]:
        call["symbol"] = "函数" * 60
    pathlib.Path(path).write_text(json.dumps(report))
    url, result = report_bug(jankwatch)
    body = fields_of(url)[1]["body"]
    assert 4000 < len(url) <= 7500, len(url)
    equal(body.count("~~~~~~~~") % 2, 0)
    equal(text_of(result), markdown(jankwatch))
    whole = result.stdout.splitlines()
    kept = [line for line in body.splitlines() if line not in ("…", "~~~~~~~~")]
    equal(kept, [line for line in whole if line != "~~~~~~~~"][:len(kept)])
    contains(result.stderr, "beginning of the text")


def test_printed(jankwatch):
    """Where there is no tracker, none that takes a text, no browser or no display."""
    tracked_by(jankwatch, "https://bugs.example/enter.cgi")
    text = markdown(jankwatch)
    url, result = report_bug(jankwatch)
    equal((url, result.returncode, text_of(result)), (None, 0, text))
    contains(result.stderr, "‘https://bugs.example/enter.cgi’ does not accept text")
    tracked_by(jankwatch, "javascript:alert(1)")
    equal(text_of(report_bug(jankwatch)[1]), text)
    change(jankwatch, id="../../etc/passwd")
    url, result = report_bug(jankwatch)
    equal((url, text_of(result)), (None, markdown(jankwatch)))
    contains(result.stderr, "is unknown")
    tracked_by(jankwatch, "https://github.com/a/b")
    url, result = report_bug(jankwatch, DISPLAY="")
    equal((url, result.returncode, text_of(result)), (None, 0, text))
    contains(result.stderr, "no display")


def test_no_browser(jankwatch):
    tracked_by(jankwatch, "https://github.com/a/b")
    url, result = report_bug(jankwatch, browser=False)
    equal((url, result.returncode, text_of(result)), (None, 0, markdown(jankwatch)))
    contains(result.stderr, "Cannot open ‘https://github.com/a/b’ in a browser: ")


def test_reportbug(jankwatch):
    """Debian's reporter is told the last step, where it is there."""
    change(jankwatch, id="org.example.Unknown", exe="/usr/bin/a program")
    assert "reportbug" not in report_bug(jankwatch, PATH="/usr/bin:/bin")[1].stderr
    folder = os.path.join(jankwatch.home, "bin")
    write(os.path.join(folder, "reportbug"), "#!/bin/sh\n", 0o755)
    result = report_bug(jankwatch, PATH=f"{folder}:/usr/bin:/bin")[1]
    contains(result.stderr, "reportbug --body-file=issue.md --filename='/usr/bin/a program'")


def test_words(jankwatch):
    change(jankwatch)
    for words, status in (["report-bug"], 2), (["report-bug", REPORT, REPORT], 2), (["report-bug", "20010101"], 1):
        equal((words, jankwatch.run(*words).returncode), (words, status))


command.add_all(globals(), program)
tap.main("/cli/report-bug", 4)
