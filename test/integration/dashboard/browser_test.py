"""The dashboard in a browser: texts stay texts, tables are tables, and a lost stream is shown and found again.

usage: browser_test.py DASHBOARD_PROGRAM [FOLDER_FOR_SCREENSHOTS]
Exit status 77: there is no Chromium."""
import base64
import os
import subprocess
import sys

from devtools import Browser

failures = []


def check(what, good):
    print(("ok      " if good else "FAILED  ") + what, flush=True)
    if not good:
        failures.append(what)


class Program:
    def __init__(self, path, mode="", port="0"):
        self.process = subprocess.Popen([path, port, mode], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        assert self.url, "the program has not started"
        self.port = self.url.rsplit(":", 1)[1]

    def end(self):
        self.process.kill()
        self.process.wait()


def open_page(browser, program):
    browser.call("Page.navigate", url=program.url + "/dashboard")
    check("the stream is live", browser.until("document.getElementById('status').className === 'live'"))


CONTRAST = """(() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const back = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!c.endsWith(', 0)')) return c; } return 'rgb(255,255,255)'; };
  return Math.min(...[...document.querySelectorAll('h1,h2,dt,dd,th,td,button,#status')].filter(e => e.textContent).map(e => {
    const [a, b] = [light(getComputedStyle(e).color), light(back(e))].sort((x, y) => y - x); return (a + .05) / (b + .05); }));
})()"""


def hostile_names(browser, path):
    program = Program(path, "hostile")
    open_page(browser, program)
    check("markup in names is shown as text", browser.until("document.body.textContent.includes(\"<img src=x onerror='window.hacked=1'>\")"))
    check("and is no markup", browser.run("document.querySelectorAll('main img, main script, header img').length") == 0)
    check("and does not run", browser.run("window.hacked") is None)
    errors = [e for e in browser.events if e["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")]
    check(f"the console is empty {errors}", not errors)
    browser.run("(() => { const s = document.createElement('script'); s.textContent = 'window.injected = 1'; document.body.append(s); })()")
    check("the policy lets no other script run", browser.run("window.injected") is None)
    check("nor a request elsewhere", browser.run("fetch('http://127.0.0.2:1/').then(() => 'sent', e => e.name)") == "TypeError")
    program.end()


def tables(browser, path):
    program = Program(path)
    open_page(browser, program)
    check("the title is the program's", browser.run("document.title") == "shop-operator")
    for page in ("informers", "queues", "controllers", "tasks"):
        check(page + " have a table", browser.until(f"document.querySelectorAll('#page-{page} tbody tr').length > 0"))
    check("objects are counted", browser.until("[...document.querySelectorAll('#page-informers td')].some(c => c.textContent === '240')"))
    check("runs are measured", browser.until("document.querySelector('#page-controllers tbody').textContent.includes('11 ms')"))
    queues = browser.run("document.querySelector('#page-queues tbody').textContent")
    check("queues show how long keys have waited and run", all(t in queues for t in ("3.2 s", "jobs/report-2b7c", "shop/checkout-7d9f 1.5 s, shop/cart-5c44 20 ms", "jobs 5, shop 1")))
    before = browser.run("document.querySelector('#page-controllers tbody').textContent")
    check("numbers follow", browser.until(f"document.querySelector('#page-controllers tbody').textContent !== {before!r}"))
    nodes = [n for n in browser.call("Accessibility.getFullAXTree")["nodes"] if not n.get("ignored")]
    roles = [n["role"]["value"] for n in nodes]
    named = {(n["role"]["value"], n.get("name", {}).get("value", "")) for n in nodes}
    check("a screen reader finds tables by name", {("table", "Informers"), ("table", "Queues"), ("table", "Controllers")} <= named)
    check("with headers of rows and columns", roles.count("rowheader") >= 8 and ("columnheader", "Objects") in named and ("rowheader", "pods") in named)
    check("and hears of the connection", "status" in roles and ("button", "Pause") in named)
    check("a heading for each table", roles.count("heading") >= 5)
    browser.run("document.querySelector('#page-informers thead button').focus()")
    browser.press("Tab", 9)
    browser.press("Enter", 13, "\r")
    check("a key sorts", browser.run("document.querySelectorAll('#page-informers th:not([hidden])')[1].getAttribute('aria-sort')") == "ascending")
    browser.run("document.querySelector('#page-informers thead button').focus()")
    browser.press("Enter", 13, "\r")
    browser.press("Enter", 13, "\r")
    check("and back", browser.run("document.querySelector('#page-informers tbody th').textContent") == "pods")
    check("the focus is seen", browser.run("getComputedStyle(document.activeElement).outlineStyle") == "solid")
    browser.run("document.getElementById('pause').click()")
    check("a pause is shown", browser.until("document.getElementById('status').textContent === 'paused'"))
    browser.run("document.getElementById('pause').click()")
    check("and ended", browser.until("document.getElementById('status').className === 'live'"))
    for width in (320, 390, 1200):
        for scheme in ("light", "dark"):
            browser.screen(width, 844, scheme)
            check(f"{width} {scheme}: nothing is wider than the screen",
                  browser.until("document.documentElement.scrollWidth <= innerWidth"))
            check(f"{width} {scheme}: texts have contrast", browser.run(CONTRAST) >= 4.5)
    program.end()


def clusters(browser, path):
    heads = "[...document.querySelectorAll('#page-{} th:not([hidden])')].map(h => h.textContent).includes('Cluster')"
    program = Program(path)
    open_page(browser, program)
    check("one cluster has no column", not browser.run(heads.format("controllers")) and not browser.run(heads.format("informers")))
    program.end()
    program = Program(path, "clusters")
    open_page(browser, program)
    rows = "[...document.querySelectorAll('#page-{} tbody tr')].map(r => [...r.cells].slice(0, 2).map(c => c.textContent).join(' ')).join(', ')"
    for page in ("controllers", "queues"):
        check(f"{page} of several have one", browser.until(heads.format(page)))
        check(f"{page} of the same name are told apart", browser.run(rows.format(page)) == "website –, website eu-west")
    check("each has a mean of its own", browser.until("document.querySelectorAll('#page-controllers tbody tr')[1].textContent.includes('11 ms')"))
    program.end()


def lost(browser, path):
    program = Program(path)
    open_page(browser, program)
    program.end()
    check("a lost stream is shown", browser.until("document.getElementById('status').className === 'lost' && document.body.classList.contains('stale')"))
    check("with its reason", "lost: " in browser.run("document.getElementById('status').textContent"))
    check("and its last numbers", browser.run("document.querySelectorAll('#page-informers tbody tr').length") == 3)
    program = Program(path, port=program.port)
    check("it is found again", browser.until("document.getElementById('status').className === 'live' && !document.body.classList.contains('stale')"))
    program.end()


def protected(browser, path):
    program = Program(path, "protected")
    browser.call("Page.navigate", url=program.url + "/dashboard")
    check("a token is asked for", browser.until("!document.getElementById('login').hidden"))
    for token, good in (("bad-token", False), ("good-token", True)):
        browser.run(f"document.getElementById('token').value = {token!r}; document.querySelector('#login button').click()")
        if good:
            check("a good token connects", browser.until("document.getElementById('status').className === 'live'"))
        else:
            check("a bad one does not", browser.until("document.getElementById('status').textContent.includes('not valid')"))
    check("the form goes, and the token with it", browser.run("document.getElementById('login').hidden && document.getElementById('token').value === ''"))
    program.end()


def screenshots(browser, path, folder):
    program = Program(path)
    for name, width, height in (("phone", 390, 760), ("desktop", 1100, 690)):
        for scheme in ("light", "dark"):
            browser.screen(width, height, scheme)
            open_page(browser, program)
            browser.until("/\\d/.test(document.querySelectorAll('#page-informers tbody td:not([hidden])')[5].textContent)")
            png = base64.b64decode(browser.call("Page.captureScreenshot", format="png")["data"])
            file = os.path.join(folder, f"dashboard-{name}-{scheme}.png")
            with open(file, "wb") as out:
                out.write(png)
            check(f"{file} has {len(png)} bytes, fewer than 100,000", len(png) < 100_000)
    program.end()


def main():
    chromium = Browser.find()
    if not chromium:
        print("skipped: there is no Chromium (Debian: apt-get install chromium; or set CHROMIUM)")
        return 77
    browser = Browser(chromium)
    try:
        for part in (hostile_names, tables, clusters, lost, protected):
            print(part.__name__)
            part(browser, sys.argv[1])
        if len(sys.argv) > 2:
            screenshots(browser, sys.argv[1], sys.argv[2])
    finally:
        browser.close()
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
