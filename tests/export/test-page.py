# SPDX-FileCopyrightText: the jankwatch authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""The exported page in a real browser. PICTURES=FOLDER keeps what it looks like."""

import copy
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import browser
import command
import tap
from tap import check, equal

program, make_store, make_many = tap.arguments(3)
CHROMIUM = shutil.which("chromium")
ONE = "20261121-153012-4242-1"
EVIL = "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"

FLAME = "[...document.querySelectorAll('[role=treeitem]')]"
CONTRAST = """
(() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = color => rgb(color).slice(0, 3).map(c => c / 255)
  .map(c => c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor;
      if (!/, 0\\)$|transparent/.test(color) && color.startsWith("rgb(")) return color;
    }
    return "rgb(255,255,255)";
  };
  const bad = [];
  for (const element of document.querySelectorAll(
    "h1,h2,h3,p,b,small,dt,dd,td,th,span,li,button,[role=treeitem]:not(.thin)")) {
    if (!element.textContent.trim() || !element.getClientRects().length || element.disabled) continue;
    const a = light(getComputedStyle(element).color), b = light(behind(element));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5)
    bad.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)} ${element.textContent.slice(0, 20)}`);
  }
  return [...new Set(bad)];
})()
"""


def make_page(folder, change=None, arguments=()):
    jankwatch = command.Command(program, folder)
    subprocess.run([make_store, jankwatch.store, str(os.getpid())], check=True)
    if change:
        path = pathlib.Path(jankwatch.store, f"{ONE}.json")
        report = copy.deepcopy(json.loads(path.read_text()))
        change(report)
        path.write_text(json.dumps(report))
    page = os.path.join(folder, "page.html")
    equal(jankwatch.run("export", "-f", "html", "-o", page, *arguments).returncode, 0)
    return pathlib.Path(page).as_uri()


def with_page(test, change=None, arguments=()):
    if CHROMIUM is None:
        raise tap.Skip("no chromium")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        opened = browser.start(CHROMIUM, folder)
        try:
            url = make_page(folder, change, arguments)
            opened.show(1200, 900)
            opened.open(url)
            opened.wait("document.querySelector('h2') !== null")
            test(opened)
            equal(opened.errors, [])
            equal([request for request in opened.requests if request.split("#")[0] != url and request != "about:blank"],
                  [])
        finally:
            opened.close()


def test_flame():
    """Names and shares are there; keys and search work."""
    def check_page(page):
        labels = page.evaluate(f"{FLAME}.map(cell => cell.ariaLabel)")
        check("All samples, 100 %, 1.22 s" in labels, labels)
        check("compute_primes, 96 %, 1.18 s" in labels, labels)
        check("is_prime, 6.5 %, 80 ms" in labels, labels)
        equal(page.evaluate("document.querySelector('[role=tree]').querySelectorAll('[tabindex=\"0\"]').length"), 1)
        page.evaluate(f"{FLAME}[0].focus()")
        names = []
        while "compute_primes" not in names and len(names) < 11:
            page.press("ArrowDown")
            names.append(page.evaluate("document.activeElement.textContent"))
        equal(names, ["libgtk-4.so.1.800.3+0x24cb10", "g_signal_emit", "on_button_clicked", "compute_primes"])
        page.press("Enter")
        equal(page.evaluate("document.activeElement.style.width + document.activeElement.textContent"),
              "100%compute_primes")
        equal(page.evaluate(f"{FLAME}.filter(cell => cell.textContent === 'clock_nanosleep').length"), 0)
        page.press("Escape")
        equal(page.evaluate("document.activeElement.textContent"), "All samples")
        equal(page.evaluate(f"{FLAME}.filter(cell => cell.textContent === 'clock_nanosleep').length"), 1)
        page.evaluate("(() => { const search = document.querySelector('input'); search.value = 'PRIME';"
                      " search.dispatchEvent(new Event('input')); })()")
        equal(page.evaluate("[...document.querySelectorAll('.found')].map(cell => cell.textContent)"),
              ["compute_primes", "is_prime"])
    with_page(check_page, arguments=[ONE])


def test_problems():
    """A list of problems; each is chosen by a click, and by the address."""
    def check_page(page):
        equal(page.evaluate("document.querySelectorAll('nav li').length"), 3)
        check("6× · longest 1.24 s" in page.evaluate("document.querySelectorAll('nav li')[1].textContent"),
              page.evaluate("document.querySelectorAll('nav li')[1].textContent"))
        equal(page.evaluate("[...document.querySelectorAll('.lane span')].map(label => label.textContent)"),
              ["jankwatch-demo", "evil?[31m?"])
        equal(page.evaluate("document.querySelector('h2').textContent"), "All problems")
        page.evaluate("[...document.querySelectorAll('nav button')][1].click()")
        check(page.evaluate("document.querySelector('h2').textContent").startswith("Main loop "))
        equal(page.evaluate("document.querySelectorAll('nav [aria-current=true]').length"), 1)
        check(page.evaluate("location.hash").startswith("#2026"))
        page.evaluate("[...document.querySelectorAll('nav button')][0].click()")
        page.evaluate("document.querySelector('.track button').click()")
        check(page.evaluate("document.querySelector('h2').textContent") != "All problems")
    with_page(check_page)


def test_looks():
    """Nothing is cut off or hard to read, in any width, light and dark. Each control has a name."""
    def check_page(page):
        folder = os.environ.get("PICTURES")
        for width in (360, 800, 1200, 1920):
            for dark in (False, True):
                page.show(width, 900, dark)
                for i in (0, 1):
                    page.evaluate(f"document.querySelectorAll('nav button')[{i}].click()")
                    what = (width, "dark" if dark else "light", i)
                    equal((what, page.evaluate("document.documentElement.scrollWidth")), (what, width))
                    equal((what, page.evaluate(CONTRAST)), (what, []))
                    if folder:
                        page.take_picture(os.path.join(folder, "-".join(map(str, what)) + ".png"))
        tree = page.call("Accessibility.getFullAXTree")["nodes"]
        controls = [node for node in tree
                    if node.get("role", {}).get("value") in ("button", "searchbox", "tree", "treeitem", "navigation")]
        check(len(controls) > 15, len(controls))
        equal([node for node in controls if not node.get("name", {}).get("value")], [])
    with_page(check_page)


def test_many():
    """12,000 reports are 200 problems of a page that is small and opens at once."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        jankwatch = command.Command(program, folder)
        subprocess.run([make_many, jankwatch.store, "12000", "250"], check=True)
        page = pathlib.Path(folder, "page.html")
        equal(jankwatch.run("export", "-f", "html", "-o", str(page)).returncode, 0)
        check(page.stat().st_size < 3e6, page.stat().st_size)
        if CHROMIUM is None:
            raise tap.Skip("no chromium")
        opened = browser.start(CHROMIUM, folder)
        try:
            opened.show(1200, 900)
            opened.open(page.as_uri())
            opened.wait("document.querySelector('h2') !== null")
            equal(opened.evaluate("document.querySelectorAll('nav li').length"), 201)
            equal(opened.evaluate("document.getElementById('summary').textContent"), "250 problems")
            equal(opened.evaluate("document.querySelector('nav p').textContent"),
                  "50 more problems, of less time, are left out")
            equal(opened.evaluate("document.querySelectorAll('.lane').length"), 5)
            check(opened.evaluate("document.querySelectorAll('.track button').length") <= 1500)
            if os.environ.get("PICTURES"):
                opened.take_picture(os.path.join(os.environ["PICTURES"], "many.png"))
            took = opened.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        finally:
            opened.close()
    return f"opened in {took:.0f} ms"


def test_hostile():
    """What reports say is text."""
    def change(report):
        for call in report["frames"]:
            call["symbol"] = EVIL + str(call.get("symbol"))
        report["culprit"]["function"] = report["app"]["name"] = report["source"]["name"] = EVIL
        for tag in report["tags"]:
            tag["value"] = EVIL
        for thread in report["threads"]:
            thread["name"] = EVIL

    def check_page(page):
        equal(page.evaluate("document.title"), "jankwatch")
        equal(page.evaluate("document.images.length + document.scripts.length"), 2)
        check(page.evaluate("document.querySelector('h2').textContent").find("</script><img") > 0)
        check(page.evaluate(f"{FLAME}.some(cell => cell.textContent.startsWith('</script><img'))"))
    with_page(check_page, change, [ONE])


tap.add_all(globals())
tap.main("/export/page")
