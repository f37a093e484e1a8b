"""Look at every page of the built site in headless Chromium, with the network off:  python nbs/_sphinx/check_site.py [--self-test]

A page fails for a request that leaves the site, an error in the console, TeX that was not rendered, an image that does not load, or an
internal link or anchor that leads nowhere; the site fails if searching for a name of the package does not find its page.
With --self-test the check first has to find one planted fault of each kind in broken copies of the site."""
import re, shutil, sys, tempfile, threading, zlib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag

from playwright.sync_api import Error, sync_playwright

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
         '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1']

# What the page shows a reader, code aside; math is rendered as SVG, so any TeX left in the text is raw
LOOK = r"""() => {
  const text = document.body.cloneNode(true)
  text.querySelectorAll('pre, code, script, style, noscript, mjx-container, .sig').forEach(o => o.remove())
  return {tex: (text.textContent.match(/\$\$?[^$\n]*[\\^_][^$\n]*\$|\\(frac|tag|begin|nabla|eta|mu|Phi|partial|mathbb|sqrt)\b|\\[\[(]/g) || []),
          math: [...document.querySelectorAll('mjx-container [data-mjx-error], mjx-container [fill="red"]')].map(o => o.closest('mjx-container').textContent),
          images: [...document.images].filter(o => !(o.complete && o.naturalWidth > 0)).map(o => o.src),
          links: [...document.querySelectorAll('a[href]')].map(o => o.href),
          ids: [...document.querySelectorAll('[id]')].map(o => o.id)}}"""

class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args): pass

def serve(site):
    "Serve `site` on loopback; returns the server and its address"
    server = ThreadingHTTPServer(('127.0.0.1', 0), partial(Quiet, directory=site))
    server.handle_error = lambda *_: None   # a browser that leaves a page early is no fault
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f'http://127.0.0.1:{server.server_port}/'

def names(site):
    "The classes and functions of the package, each with the page that defines it, from Sphinx's inventory"
    lines = zlib.decompress((Path(site)/'objects.inv').read_bytes().split(b'\n', 4)[4]).decode().splitlines()
    items = [line.split(' ')[:4] for line in lines]
    return [(full.split('.')[-1], uri.partition('#')[0]) for full,kind,_,uri in items if kind in ('py:class', 'py:function')]

class Check:
    "The faults of one site"
    def __init__(self, site, browser):
        self.site,self.faults,self.seen = Path(site),[],{}
        self.server,self.base = serve(site)
        self.context = browser.new_context()
        self.page = self.context.new_page()
        self.url = ''
        self.page.on('request', self.on_request)
        self.page.on('console', lambda m: m.type=='error' and self.fault('console', m.text))
        self.page.on('pageerror', lambda e: self.fault('console', str(e)))
        self.page.on('response', lambda r: r.status>=400 and self.fault('missing file', r.url))

    def fault(self, kind, what): self.faults.append((kind, self.url, what))

    def on_request(self, request):
        if not request.url.startswith((self.base, 'data:', 'blob:', 'about:')): self.fault('external request', request.url)

    def open(self, url):
        self.url = url
        try: self.page.goto(self.base+url, wait_until='load')
        except Error as e: return self.fault('page', str(e))
        if self.page.evaluate("!!document.querySelector('.math')"):
            try: self.page.wait_for_function("window.MathJax?.startup?.promise && MathJax.startup.promise.then(() => true)", timeout=20000)
            except Error: self.fault('raw TeX', 'MathJax did not start')

    def look(self, url):
        "Everything that one page can get wrong by itself"
        self.open(url)
        got = self.page.evaluate(LOOK)
        for tex in got['tex'][:3]: self.fault('raw TeX', tex)
        for err in got['math']: self.fault('unreadable TeX', err)
        for src in got['images']: self.fault('image', src)
        self.seen[url] = got

    def links(self):
        "Internal links must lead to a file, and to an id in it"
        for self.url,got in self.seen.items():
            for link in set(got['links']):
                if not link.startswith(self.base): continue
                path,anchor = urldefrag(link.removeprefix(self.base))
                path = unquote(path.partition('?')[0]) or 'index.html'
                if not (self.site/path).is_file(): self.fault('link', link)
                elif anchor and path in self.seen and unquote(anchor) not in self.seen[path]['ids']: self.fault('link', link)

    def search(self, wanted):
        "Searching for a name finds the page that defines it, near the top"
        for name,page in wanted:
            self.open(f'search.html?q={quote(name)}')
            try: self.page.wait_for_function("document.querySelector('#search-results .search-summary')?.textContent.match(/found|did not match/)", timeout=10000)
            except Error: pass   # no answer finds nothing, which is the fault
            found = self.page.eval_on_selector_all('#search-results li a', 'as => as.map(a => a.href)')
            if not any(f.startswith(self.base+page) for f in found[:10]): self.fault('search', f'{name!r} does not find {page}')

    def run(self, pages=None, wanted=None):
        "The faults of `pages` (all) and of the search for `wanted` (all names)"
        for p in pages or sorted(p.relative_to(self.site).as_posix() for p in self.site.rglob('*.html') if '_static' not in p.parts): self.look(p)
        self.links()
        self.search(wanted or names(self.site))
        self.context.close()
        self.server.shutdown()
        return self.faults

def plant(page, old, new): page.write_text(re.sub(old, lambda m: new + m[0], page.read_text(encoding='utf8'), count=1), encoding='utf8')

BREAK = {  # How to plant a fault of each kind on one page of a site
    'external request': lambda s,p: plant(s/p, '</article>', '<img src="https://example.com/x.png">'),
    'console':          lambda s,p: plant(s/p, '</article>', '<script>undefined_function()</script>'),
    'raw TeX':          lambda s,p: plant(s/p, '</article>', r'<p>the rate $\eta_t$</p>'),
    'unreadable TeX':   lambda s,p: plant(s/p, '</article>', r'<div class="math">\[ \nosuchmacro{1} \]</div>'),
    'image':            lambda s,p: plant(s/p, '</article>', '<img src="gone.png">'),
    'missing file':     lambda s,p: (s/'_static/site.css').unlink(),
    'link':             lambda s,p: plant(s/p, '</article>', f'<a href="{p}#no-such-heading">x</a>'),
    'search':           lambda s,p: (s/'searchindex.js').write_text('Search.setIndex({})'),
}

def self_test(site, browser):
    "The kinds of fault that were planted in a copy of the site, on its first page with mathematics, and not found"
    missed,wanted = [],names(site)[:1]
    page = next(p.name for p in sorted(site.glob('*.html')) if 'class="math' in p.read_text(encoding='utf8'))
    for kind,broken in BREAK.items():
        with tempfile.TemporaryDirectory() as tmp:
            copy = Path(tmp)/'site'
            shutil.copytree(site, copy)
            before = {k for k,_,_ in Check(copy, browser).run([page], wanted)}
            broken(copy, page)
            after = {k for k,_,_ in Check(copy, browser).run([page], wanted)}
        ok = kind in after - before
        print(f"planted {kind:17} {'found' if ok else 'MISSED'}")
        if not ok: missed.append(kind)
    return missed

def main():
    site = Path(__file__).resolve().parents[2]/'_docs'
    if not CHROMIUM: sys.exit('Chromium is needed: apt-get install chromium')
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        missed = self_test(site, browser) if '--self-test' in sys.argv else []
        check = Check(site, browser)
        for kind,url,what in check.run(): print(f'{kind}: {url}: {what}')
        browser.close()
    print(f'{len(check.seen)} pages, {len(check.faults)} faults, {len(names(site))} names searched')
    sys.exit(bool(check.faults or missed))

if __name__=='__main__': main()
