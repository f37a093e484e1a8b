"""Build the documentation site from the notebooks into `_docs`:  python nbs/_sphinx/build.py

nbdev decides what a reader sees (hidden cells, exported cells, where API entries stand), Sphinx makes the pages.
Any warning fails the build."""
import ast, os, re, shutil, sys
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
import api

# Sidebar groups: the first number that belongs to each. Notebooks without a number are pages of practice.
GROUPS = {'Mathematics': 0, 'Methods': 2, 'Experiments': 6, 'Practice': 30}
_noise = re.compile(r"^(<Figure size|Text\(|\[?<matplotlib\.|<Axes|\[?array\(\[<Axes|\(?<Figure)")

def page_name(nb:str): return re.sub(r'(^|/)\d+[a-z]?_', r'\1', nb)

def group(stem:str):
    number = re.match(r'\d+', stem)
    return [g for g,first in GROUPS.items() if not number or int(number[0]) >= first][-1]

class api_entries(Processor):
    "Turn each `show_doc` cell into the API entry of the exported symbol"
    def begin(self):
        exp = _default_exp(self.nb)
        self.module = exp and f"{get_config().lib_name}.{exp}"
        self.nb.cells = [c for added,run in groupby(self.nb.cells, lambda c: hasattr(c, 'has_sd'))
                         for c in (reversed(list(run)) if added else run)]  # nbdev adds those of one cell last first
        self.shown = {self.target(c) for c in self.nb.cells if self.target(c)}

    def target(self, cell):
        "The name inside `show_doc(name)`, if that is what `cell` is"
        code = '\n'.join(l for l in (cell.get('source') or '').splitlines() if not l.startswith('#|'))
        if cell.cell_type!='code' or not code.startswith('show_doc'): return
        return ast.unparse(ast.parse(code).body[0].value.args[0])

    def cell(self, cell):
        if not (name := self.target(cell)): return
        mod = import_module(self.module)
        obj = mod
        for part in name.split('.'): obj = vars(obj)[part] if isinstance(obj, type) else getattr(obj, part)
        home = getattr(obj, '__module__', None) or self.module
        cell.cell_type,cell.outputs = 'markdown',None
        cell.source = api.entry(name, obj, home, skip=self.shown, index=home==self.module)
        for k in ('outputs', 'execution_count'): cell.pop(k, None)

def page_links(cell):
    "Links between notebooks lead to pages"
    if cell.cell_type=='markdown':
        cell.source = re.sub(r'\]\(([^):\s]+\.ipynb)', lambda m: f']({page_name(m[1])}', cell.source)

def tidy_outputs(cell):
    "Drop what only a notebook's author needs: reprs of plot objects, progress bars, Quarto options"
    if cell.cell_type!='code': return
    cell.source = re.sub(r'^#\|.*\n?', '', cell.source, flags=re.M)
    if cell.directives_.get('echo:')==['false']: cell.metadata['tags'] = ['remove-input']
    keep = lambda o: not _noise.match(''.join(o.get('data', {}).get('text/plain', ''))) or 'image/png' in o['data']
    cell.outputs = [o for o in cell.get('outputs', []) if keep(o) and 'application/vnd.jupyter.widget-view+json' not in o.get('data', {})]

class SiteFilter(FilterDefaults):
    "nbdev's processors, with ours in place of those that write for Quarto or run code"
    def base_procs(self):
        return [populate_language, add_show_docs, strip_ansi, hide_line, filter_stream_, rm_header_dash, api_entries,
                rm_export, clean_magics, hide_, mv_exports, tidy_outputs, page_links]

def toctree(caption, pages):
    return f'```{{toctree}}\n:hidden:\n:caption: {caption}\n\n' + '\n'.join(pages) + '\n```'

def process(out):
    "Write the processed notebooks to `out`, the index with the sidebar in it"
    nbs = get_config().nbs_path
    groups = {g: [] for g in GROUPS}
    for f in sorted(nbglob(as_path=True)):
        name = f.relative_to(nbs).with_suffix('').as_posix()
        if name!='index': groups[group(f.stem)].append(page_name(name))
        nb = read_nb(f)
        SiteFilter()(nb)
        if name=='index': index = nb
        dest = out/f'{page_name(name)}.ipynb'
        dest.parent.mkdir(parents=True, exist_ok=True)
        write_nb(nb, dest)
    index.cells += [mk_cell(toctree(g, pages), 'markdown') for g,pages in groups.items() if pages]
    index.cells.append(mk_cell(toctree('Reference', ['All names <genindex>']), 'markdown'))
    write_nb(index, out/'index.ipynb')

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
