"""Build the documentation site from the notebooks into `_docs`:  python nbs/_sphinx/build.py

nbdev decides what a reader sees (hidden cells, exported cells, where API entries stand), Sphinx makes the pages.
Any warning fails the build."""
import ast, json, os, re, shutil, sys
from collections import Counter
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import groupby
from pathlib import Path

from execnb.nbio import mk_cell, read_nb, write_nb
from nbdev.config import get_config
from nbdev.doclinks import nbglob
from nbdev.process import Processor
from nbdev.processors import *
from nbdev.processors import _default_exp
from sphinx.cmd.build import build_main

here = Path(__file__).resolve().parent
root = here.parent.parent
sys.path[:0] = [str(here), str(root)]
import api, reference
from marthe._modidx import d as index

# The sidebar: sections in the order in which they are read, and what each is made of. A notebook belongs where the longest of
# the patterns that fit it stands, and comes in their order, so that a new one finds its place by its folder and number.
SECTIONS = {
    'Start':              ['guides/00*'],
    'How to':             ['guides/01*', 'guides/02*', 'integrations/*', 'guides/07*', 'guides/03*', 'guides/*'],
    'Should I use it?':   ['guides/04*', 'guides/05*', 'experiments/11*', 'experiments/12*', 'experiments/13*'],
    'How it works':       ['theory/00*', 'theory/01*', 'core/01*', 'core/04*', 'core/08*', 'core/06b*', 'core/11*', 'core/12_*'],
    'Its parts':          ['core/00*', 'core/0*', 'core/1*', 'core/*'],
    'The paper, repeated': ['theory/*', 'experiments/05*', 'experiments/06*', 'experiments/07*', 'guides/09*'],
    'Reference':          ['reference/marthe', 'guides/08*', 'reference/*'],
    'Development':        ['guides/06*', 'experiments/*'],
}
OPEN = {'Reference', 'step'}     # exported code that a reader should meet without a click
_noise = re.compile(r"^(<Figure size|Text\(|\[?<matplotlib\.|<Axes|\[?array\(\[<Axes|\(?<Figure)")

def place(name:str):
    "The section of a notebook or page, and where in it"
    fits = [(len(pattern), section, i) for section,patterns in SECTIONS.items()
            for i,pattern in enumerate(patterns) if fnmatchcase(name, pattern)]
    if not fits: sys.exit(f'{name}: SECTIONS in nbs/_sphinx/build.py has no place for it')
    _,section,i = max(fits)
    return section, i

def page_name(nb:str): return re.sub(r'(^|/)\d+[a-z]?_', r'\1', nb)

def module_of(nb):
    exp = _default_exp(nb)
    return exp and f'{get_config().lib_name}.{exp}'

def names_for(nb, module):
    """Where each name that `nb` may mention in backticks is defined, from nbdev's index.
    Dotted names always link, and so do this page's own and those it imports. Of the rest only names that cannot be mistaken:
    defined once, and with a capital or an underscore, so that `run` or `groups` stays the word it is."""
    syms = [(mod, full.removeprefix(f'{mod}.')) for mod,d in index['syms'].items() for full in d]
    times = Counter(name for _,name in syms)
    imports = ' '.join(l for c in nb.cells for l in c.source.splitlines() if c.cell_type=='code' and 'import ' in l)
    def links(mod, name):
        if '.' in name or mod==module or f'{mod} import *' in imports: return True
        return times[name]==1 and (re.search('[A-Z_]', name) or re.search(rf'\b{name}\b', imports))
    res = {f'{mod}.{name}': f'{mod}.{name}' for mod,name in syms}
    for mod,name in syms:
        if links(mod, name) and (mod==module or name not in res): res[name] = f'{mod}.{name}'
    return res

class api_entries(Processor):
    "Turn each `show_doc` cell into the API entry of the exported symbol"
    def begin(self):
        self.module = module_of(self.nb)
        cells = []
        for added,run in groupby(self.nb.cells, lambda c: hasattr(c, 'has_sd')):
            if added: cells[-1:] = [*reversed(list(run)), cells[-1]]   # nbdev adds them after their code, last first
            else: cells += run
        self.nb.cells = cells
        self.shown = {self.target(c) for c in self.nb.cells if self.target(c)}

    def target(self, cell):
        "The name inside `show_doc(name)`, if that is what `cell` is"
        code = '\n'.join(l for l in (cell.get('source') or '').splitlines() if not l.startswith('#|'))
        if cell.cell_type!='code' or not code.startswith('show_doc'): return
        return ast.unparse(ast.parse(code).body[0].value.args[0])

    def cell(self, cell):
        if not (name := self.target(cell)): return
        obj = import_module(self.module or get_config().lib_name)
        for part in name.split('.'): obj = member(obj, part)
        home = getattr(obj, '__module__', None) or self.module
        cell.cell_type = 'markdown'
        first = home==self.module and (home, name.split('.')[0]) not in reference.WHOLE
        cell.source = api.entry(name, obj, home, skip=self.shown, index=first)
        for k in ('outputs', 'execution_count'): cell.pop(k, None)

def member(obj, name):
    "What a module or a class has under a name: a property itself and not its value, a class method bound"
    raw = vars(obj).get(name) if isinstance(obj, type) else None
    return raw if callable(raw) or isinstance(raw, property) else getattr(obj, name)

def show_code(cell):
    "Hidden cells go; exported code stays, folded under its entries but for a few; imports alone go, if they are not to be folded"
    flags = cell.directives_.keys()
    if flags & {'hide', 'default_exp'}: del cell['source']
    elif flags & {'export', 'exporti'}:
        defs = [o for o in cell.parsed_() if not isinstance(o, (ast.Import, ast.ImportFrom))]
        if not defs and 'fold' in flags: fold(cell, 'imports')
        elif not defs: del cell['source']
        elif any(getattr(o, 'name', '') in OPEN for o in defs): pass
        elif any(getattr(o, 'name', '_')[0]!='_' for o in defs): cell.metadata['tags'] = ['hide-input']
    elif 'fold' in flags: fold(cell, 'code')

def is_check(o):
    "Does this statement only check something? An `assert`, a `test_eq(...)` and its like, or a loop over nothing else"
    if isinstance(o, (ast.For, ast.With)): return all(map(is_check, o.body))
    if isinstance(o, ast.Expr) and isinstance(o.value, ast.Call):
        return isinstance(o.value.func, ast.Name) and o.value.func.id.startswith('test_')
    return isinstance(o, ast.Assert)

def fold(cell, prompt):
    cell.metadata['tags'] = ['hide-input']
    cell.metadata['mystnb'] = {**cell.metadata.get('mystnb', {}), 'code_prompt_show': f'Show the {prompt}', 'code_prompt_hide': f'Hide the {prompt}'}
    return cell

class fold_checks(Processor):
    """A reader meets an example without the checks that stand in it. They come after it, folded; a cell that shows nothing
    and checks something is folded whole."""
    def begin(self): self.nb.cells = [part for cell in self.nb.cells for part in self.parts(cell)]

    def parts(self, cell):
        if cell.cell_type!='code' or not cell.get('source') or cell.metadata.get('tags'): return [cell]
        if cell.directives_.keys() & {'export', 'exporti', 'hide'}: return [cell]
        try: body = ast.parse(cell.source).body
        except SyntaxError: return [cell]
        checks = [o for o in body if is_check(o)]
        if not checks: return [cell]
        if not cell.get('outputs') or len(checks)==len(body): return [fold(cell, 'check')]
        lines,gone = cell.source.splitlines(), {i for o in checks for i in range(o.lineno-1, o.end_lineno)}
        crowded = {i for o in body if o not in checks for i in range(o.lineno-1, o.end_lineno)} & gone
        if crowded: return [cell]                                  # a check on the line of something else
        after = mk_cell('\n'.join(lines[i] for i in sorted(gone)), 'code')
        after.outputs,after.directives_ = [],{}
        cell.set_source('\n'.join(l for i,l in enumerate(lines) if i not in gone).strip('\n'))
        return [cell, fold(after, 'check')]

def page_links(cell):
    "Links between notebooks lead to pages, in prose and in tables that code makes"
    fix = lambda text: re.sub(r'\]\(([^):\s]+\.ipynb)', lambda m: f']({page_name(m[1])}', text)
    if cell.cell_type=='markdown': cell.source = fix(cell.source)
    for o in cell.get('outputs', []):
        if md := o.get('data', {}).get('text/markdown'): o['data']['text/markdown'] = fix(''.join(md))

def tidy_outputs(cell):
    "Drop what only a notebook's author needs: reprs of plot objects, progress bars, Quarto options"
    if cell.cell_type!='code': return
    cell.source = re.sub(r'^#\|.*\n?', '', cell.source, flags=re.M)
    if cell.directives_.get('echo:')==['false']: cell.metadata['tags'] = ['remove-input']
    image = dict(alt=' '.join(alt)) if (alt := cell.directives_.get('fig-alt:')) else {}
    if re.search(r'\.(imshow|pcolormesh|contourf)\(', cell.source): image['classes'] = 'as-is'        # in a dark theme too
    if image: cell.metadata['mystnb'] = {**cell.metadata.get('mystnb', {}), 'image': image}
    keep = lambda o: not _noise.match(''.join(o.get('data', {}).get('text/plain', ''))) or 'image/png' in o['data']
    cell.outputs = [o for o in cell.get('outputs', []) if keep(o) and 'application/vnd.jupyter.widget-view+json' not in o.get('data', {})]

def show_module(nb):
    "Say under the title which module the page exports"
    first = next((c for c in nb.cells if c.cell_type=='markdown'), None)
    if not (first and first.source.startswith('# ')): sys.exit(f'{nb.path_}: the first prose cell must start with a title, "# ..."')
    line = f'<p class="module">import from <code>{module_of(nb)}</code></p>'
    first.source = re.sub(r'\A(# .+\n+(?:>.*\n)*)', rf'\1\n{line}\n', first.source+'\n')

class SiteFilter(FilterDefaults):
    "nbdev's processors, with ours in place of those that write for Quarto or run code"
    def base_procs(self):
        return [populate_language, add_show_docs, strip_ansi, hide_line, filter_stream_, rm_header_dash, api_entries,
                show_code, fold_checks, clean_magics, tidy_outputs, page_links]

def toctree(caption, pages):
    return f'```{{toctree}}\n:hidden:\n:caption: {caption}\n\n' + '\n'.join(pages) + '\n```'

def process(out):
    "Write the processed notebooks to `out`, the index with the sidebar in it, and the names that each page may link"
    pages,names = [],{}
    for f in sorted(nbglob(as_path=True)):
        name = f.relative_to(get_config().nbs_path).with_suffix('').as_posix()
        page,nb = page_name(name),read_nb(f)
        names[page] = names_for(nb, module_of(nb))
        if module_of(nb): show_module(nb)
        nb.metadata.pop('widgets', None)   # progress bars, which would fetch scripts
        SiteFilter()(nb)
        if page!='index': pages.append((*place(name), name, page))
        (out/page).parent.mkdir(parents=True, exist_ok=True)
        write_nb(nb, out/f'{page}.ipynb')
    for page,text in reference.pages(page_name).items():
        (out/page).parent.mkdir(parents=True, exist_ok=True)
        (out/f'{page}.md').write_text(text, encoding='utf8')
        names[page] = {}
        pages.append((*place(page), page, page))
    home = read_nb(out/'index.ipynb')
    for section in SECTIONS:
        inside = [page for s,_,_,page in sorted(pages, key=lambda p: p[1:]) if s==section]
        if section=='Reference': inside.append('All names <genindex>')
        if inside: home.cells.append(mk_cell(toctree(section, inside), 'markdown'))
    write_nb(home, out/'index.ipynb')
    (out/'names.json').write_text(json.dumps(names))

def main():
    os.chdir(root)
    work = root/'_proc'
    shutil.rmtree(work, ignore_errors=True)
    process(work/'pages')
    failed = build_main(['-W', '--keep-going', '-q', '-c', str(here), '-d', str(work/'doctrees'), str(work/'pages'), str(work/'html')])
    shutil.rmtree(get_config().doc_path, ignore_errors=True)
    shutil.move(work/'html', get_config().doc_path)
    return failed

if __name__=='__main__': sys.exit(main())
