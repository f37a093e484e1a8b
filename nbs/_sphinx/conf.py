"""Sphinx settings of the site. `build.py` runs Sphinx with these over the processed notebooks."""
import ast, json, sys
from configparser import ConfigParser
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.pycode import ModuleAnalyzer
from sphinx.transforms import SphinxTransform

root = Path(__file__).resolve().parents[2]
_cfg = ConfigParser()
_cfg.read(root/'settings.ini', encoding='utf8')
_cfg = _cfg['DEFAULT']

project,author,release = _cfg['lib_name'],_cfg['author'],_cfg['version']
copyright = _cfg['copyright']
extensions = ['myst_nb', 'sphinx.ext.viewcode', 'sphinx.ext.mathjax']
add_module_names = viewcode_follow_imported_members = False
toc_object_entries_show_parents = 'hide'

nb_execution_mode = 'off'
nb_output_stderr = 'remove'
nb_merge_streams = True
nb_code_prompt_show,nb_code_prompt_hide = 'Show the code','Hide the code'
nb_render_markdown_format = 'myst'
myst_enable_extensions = ['dollarmath', 'amsmath', 'colon_fence']
myst_heading_anchors = 4
suppress_warnings = ['mystnb.unknown_mime_type']

html_theme = 'furo'
html_title = project
html_copy_source = html_show_sourcelink = html_show_sphinx = False
html_static_path = ['static'] + [str(p) for d in sys.path for p in Path(d).glob('sphinx-mathjax-offline/static/mathjax/tex-svg-full.js')][:1]
html_css_files,html_js_files = ['site.css'],['site.js']
smartquotes_action = 'qe'          # `--full` is an option, not a dash
html_favicon = 'static/favicon.svg'
html_theme_options = dict(top_of_page_buttons=[])
pygments_style,pygments_dark_style = 'default','github-dark'
mathjax_path = 'tex-svg-full.js'
mathjax3_config = dict(options=dict(enableMenu=False), svg=dict(fontCache='global', scale=0.95))


class EquationsAsWritten(SphinxTransform):
    "Keep Sphinx from wrapping display mathematics, which would break `\\tag`"
    default_priority = 400
    def apply(self):
        for node in self.document.findall(nodes.math_block): node['classes'].append('amsmath')

class NameLinks(SphinxTransform):
    "Link names of the package in backticks to the entry that defines them; `build.py` says which each page may link"
    default_priority = 400
    def apply(self):
        names = json.loads((self.env.srcdir/'names.json').read_text())[self.env.docname]
        for node in list(self.document.findall(nodes.literal)):
            home = names.get(node.astext().removesuffix('()'))
            if home and not isinstance(node.parent, (nodes.reference, nodes.title)):
                node.replace_self(pending_xref('', node.deepcopy(), refdomain='py', reftype='obj', reftarget=home, refexplicit=True, refdoc=self.env.docname))

def find_source(app, module):
    "The source of a module and where its definitions are, methods added by `@patch` under the class they belong to"
    analyzer = ModuleAnalyzer.for_module(module)
    analyzer.find_tags()
    for o in ast.parse(analyzer.code).body:
        if isinstance(o, ast.FunctionDef) and any('patch' in ast.unparse(d) for d in o.decorator_list):
            analyzer.tags[f'{ast.unparse(o.args.args[0].annotation)}.{o.name}'] = 'def', o.decorator_list[0].lineno, o.end_lineno
    return analyzer.code, analyzer.tags

def setup(app):
    app.connect('viewcode-find-source', find_source)
    app.add_transform(EquationsAsWritten)
    app.add_transform(NameLinks)
