"""Look at every page of the built site in headless Chromium, with the network off:  python nbs/_sphinx/check_site.py [--self-test]

A page fails for a request that leaves the site, an error in the console, TeX that was not rendered, an image that does not load, an
internal link or anchor that leads nowhere, anything wider than its column on a screen or a phone that does not scroll in a box which
shows it, or code without a copy button. The site fails if searching for a name of the package does not find its page, if what is
found is shown with raw TeX, if a public name of `MARTHE` has no entry with its true signature, or if a guide does not run from the
cells that a reader sees (leave that out, for it takes minutes, with --no-run).
With --self-test the check first has to find one planted fault of each kind in broken copies of the site."""
import inspect, os, re, shutil, subprocess, sys, tempfile, threading, zlib
from collections import Counter
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag

from playwright.sync_api import Error, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
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

TEX = r'\\(frac|tag|begin|nabla|eta|mu|beta|Phi|partial|mathbb|sqrt|[\[(])'                  # in what the search shows

# What is wider than its column, what hides a part of itself without showing that it scrolls, and code without a copy button
WIDE = r"""(screen) => {
  const article = document.querySelector('article'), faults = []
  if (!article) return {wide: [], nocopy: []}
  const name = o => `${o.tagName.toLowerCase()}.${[...o.classList].join('.')} ${(o.textContent || '').trim().slice(0, 50)}`
  const scrolls = o => ['auto', 'scroll'].includes(getComputedStyle(o).overflowX)
  const right = article.getBoundingClientRect().right
  if (document.documentElement.scrollWidth > innerWidth + 1) faults.push(`the page, by ${document.documentElement.scrollWidth - innerWidth} pixels`)
  for (const o of article.querySelectorAll('*')) {
    if (!o.offsetWidth || !o.checkVisibility() || o.closest('mjx-container, svg, .visually-hidden, mjx-assistive-mml')) continue
    let box = o
    while (box !== article && !(scrolls(box) && box !== o) && getComputedStyle(box).overflowX !== 'hidden') box = box.parentElement
    if (box === article && o.getBoundingClientRect().right > right + 2) faults.push(`sticks out: ${name(o)}`)
    if (scrolls(o) && o.scrollWidth > o.clientWidth + 1 && !o.classList.contains('scrolls')) faults.push(`cut off without a sign: ${name(o)}`)
    if (screen && o.matches('div.math') && o.scrollWidth > o.clientWidth + 1) faults.push(`an equation is cut off: ${name(o)}`)
  }
  const code = [...article.querySelectorAll('div.cell_input pre, div.highlight-sh pre, div.highlight-python pre, div.highlight-bibtex pre')]
  return {wide: faults, nocopy: code.filter(o => !o.closest('div.highlight').querySelector('button.copy')).map(name)}}"""

# The code that a reader sees, or may unfold, on a page; checks that are folded away are not a part of it
CODE = r"""() => [...document.querySelectorAll('div.cell div.cell_input')].filter(o => {
    const folded = o.closest('details')
    return !(folded && /check/.test(folded.querySelector('summary').textContent))
  }).map(o => o.querySelector('pre').textContent)"""
RUN = 'index', 'guides/', 'integrations/'                       # pages whose code has to run as it is shown
NOT_RUN = {'guides/verdict.html': 'stored results, and minutes of training'}

SCREEN,PHONE = dict(width=1400, height=900), dict(width=400, height=800)

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
        self.context = browser.new_context(viewport=SCREEN)
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
        if url.startswith('_modules'): return
        self.page.evaluate("document.querySelectorAll('details').forEach(o => { o.open = true })")
        for size in (SCREEN, PHONE): self.measure(size)
        self.page.set_viewport_size(SCREEN)

    def measure(self, size):
        "What does not fit on a screen of this size, and code that cannot be copied"
        self.page.set_viewport_size(size)
        self.page.wait_for_timeout(60)                            # until boxes that scroll have been marked
        got = self.page.evaluate(WIDE, size is SCREEN)
        for what in got['wide'][:3]: self.fault('too wide', f"at {size['width']} pixels: {what}")
        if size is SCREEN:
            for what in got['nocopy'][:3]: self.fault('copy button', what)

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
        "Searching for a name finds the page that defines it, near the top; pages that define the same name share it"
        times = Counter(name for name,_ in wanted)
        for name,page in wanted:
            self.open(f'search.html?q={quote(name)}')
            try: self.page.wait_for_function("document.querySelector('#search-results .search-summary')?.textContent.match(/found|did not match/)", timeout=10000)
            except Error: pass   # no answer finds nothing, which is the fault
            found = self.page.eval_on_selector_all('#search-results li a', 'as => as.map(a => a.href)')
            if not any(f.startswith(self.base+page) for f in found[:9+times[name]]): self.fault('search', f'{name!r} does not find {page}')

    def summaries(self, word='hypergradient'):
        "What the search shows of the pages that it finds is text"
        self.open(f'search.html?q={word}')
        try: self.page.wait_for_function("document.querySelectorAll('#search-results p.context').length > 5", timeout=10000)
        except Error: return self.fault('raw TeX in search', f'{word!r} shows no text of the pages that it finds')
        for text in self.page.eval_on_selector_all('#search-results p.context', 'ps => ps.map(p => p.textContent)'):
            if re.search(TEX, text): self.fault('raw TeX in search', text.strip()[:80])

    def reference(self):
        "Every public name of `MARTHE` has an entry, with the signature that Python knows"
        self.open('reference/marthe.html')
        entries = self.page.eval_on_selector_all('dt.sig[id]', "os => os.map(o => [o.id, o.textContent.replace(/\\[source\\]|¶/g, '').trim()])")
        found = dict(entries)
        for name,wanted in signatures().items():
            shown = found.get(name)
            if shown is None: self.fault('reference', f'{name} has no entry')
            elif flat(wanted) not in flat(shown): self.fault('reference', f'{name} is shown as {shown}, and is {wanted}')

    def runs(self, pages):
        "Every guide runs from its visible cells alone"
        for url in pages:
            if not url.startswith(RUN) or url in NOT_RUN: continue
            self.open(url)
            code = '\n'.join(self.page.evaluate(CODE))
            if not code.strip(): continue
            with tempfile.TemporaryDirectory() as tmp:
                (script := Path(tmp)/'page.py').write_text(code)       # a file, since some pages look at their own source
                done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=ROOT/'nbs/guides',
                                      env={**os.environ, 'MPLBACKEND': 'Agg', 'OMP_NUM_THREADS': '1'})
            if not done.returncode: continue
            last = done.stderr.strip().splitlines()[-1]
            missing = re.match(r"ModuleNotFoundError: No module named '(?!marthe)(.*)'", last)
            if missing: print(f'not run: {url} needs {missing[1]}')
            else: self.fault('guide', last)

    def run(self, pages=None, wanted=None, code=True):
        "The faults of `pages` (all), of the search for `wanted` (all names), of the reference, and of the code of guides"
        pages = pages or sorted(p.relative_to(self.site).as_posix() for p in self.site.rglob('*.html') if '_static' not in p.parts)
        for p in pages: self.look(p)
        self.links()
        self.search(wanted or names(self.site))
        self.summaries()
        self.reference()
        if code: self.runs(pages)
        self.context.close()
        self.server.shutdown()
        return self.faults

def flat(text):
    "A signature without spaces, with a default such as 1/6 as the number that it is"
    text = re.sub(r'\s', '', text).replace('→', '->')
    return re.sub(r'=(\d+)/(\d+)', lambda m: f'={int(m[1])/int(m[2])}', text)

def signatures():
    "Each public name of `MARTHE`, and of the two functions beside it, with its parameters and their defaults"
    from marthe import HD, MARTHE, RTHO
    def text(f, name):
        params = [p.replace(annotation=p.empty) for p in inspect.signature(f).parameters.values() if p.name!='self']
        return f"{name}{inspect.Signature(params)}"
    res = {f'marthe.online.{f.__name__}': text(f, f.__name__) for f in (MARTHE, HD, RTHO)}
    for name,o in vars(MARTHE).items():
        if name[0]!='_': res[f'marthe.online.MARTHE.{name}'] = name if isinstance(o, property) else text(o, name)
    for name in ('t', 'skipped', 'hypergrad'): res[f'marthe.online.MARTHE.{name}'] = name      # set when it is made
    return res

def plant(page, old, new): page.write_text(re.sub(old, lambda m: new + m[0], page.read_text(encoding='utf8'), count=1), encoding='utf8')

def change(file, old, new): file.write_text(file.read_text(encoding='utf8').replace(old, new), encoding='utf8')

BREAK = {  # How to plant a fault of each kind on one page of a site
    'external request': lambda s,p: plant(s/p, '</article>', '<img src="https://example.com/x.png">'),
    'console':          lambda s,p: plant(s/p, '</article>', '<script>undefined_function()</script>'),
    'raw TeX':          lambda s,p: plant(s/p, '</article>', r'<p>the rate $\eta_t$</p>'),
    'unreadable TeX':   lambda s,p: plant(s/p, '</article>', r'<div class="math">\[ \nosuchmacro{1} \]</div>'),
    'image':            lambda s,p: plant(s/p, '</article>', '<img src="gone.png">'),
    'missing file':     lambda s,p: (s/'_static/site.css').unlink(),
    'link':             lambda s,p: plant(s/p, '</article>', f'<a href="{p}#no-such-heading">x</a>'),
    'search':           lambda s,p: (s/'searchindex.js').write_text('Search.setIndex({})'),
    'too wide':         lambda s,p: plant(s/p, '</article>', '<div style="width: 3000px">wide</div>'),
    'copy button':      lambda s,p: change(s/'_static/site.js', 'box.append(button)', ''),
    'raw TeX in search': lambda s,p: change(s/'_static/site.js', 'spoken(o.textContent)', 'o.textContent'),
    'reference':        lambda s,p: change(s/'reference/marthe.html', 'total_steps', 'total_stops'),
    'guide':            lambda s,p: plant(s/p, '</article>', '<div class="cell"><div class="cell_input"><div class="highlight">'
                                                             '<pre>hidden_import()</pre></div></div></div>'),
}

def self_test(site, browser):
    "The kinds of fault that were planted in a copy of the site, on its first page with mathematics, and not found"
    missed,wanted = [],names(site)[:1]
    page = next(p.name for p in sorted(site.glob('*.html')) if 'class="math' in p.read_text(encoding='utf8'))
    for kind,broken in BREAK.items():
        with tempfile.TemporaryDirectory() as tmp:
            copy = Path(tmp)/'site'
            shutil.copytree(site, copy)
            before = {k for k,_,_ in Check(copy, browser).run([page], wanted, code=kind=='guide')}
            broken(copy, page)
            after = {k for k,_,_ in Check(copy, browser).run([page], wanted, code=kind=='guide')}
        ok = kind in after - before
        print(f"planted {kind:17} {'found' if ok else 'MISSED'}")
        if not ok: missed.append(kind)
    return missed

def main():
    site = ROOT/'_docs'
    if not CHROMIUM: sys.exit('Chromium is needed: apt-get install chromium')
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        missed = self_test(site, browser) if '--self-test' in sys.argv else []
        check = Check(site, browser)
        for kind,url,what in check.run(code='--no-run' not in sys.argv): print(f'{kind}: {url}: {what}')
        browser.close()
    print(f'{len(check.seen)} pages, {len(check.faults)} faults, {len(names(site))} names searched')
    sys.exit(bool(check.faults or missed))

if __name__=='__main__': main()
