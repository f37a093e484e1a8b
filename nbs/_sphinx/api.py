"""An API entry: one symbol of the package as a Sphinx `py:` directive, with its parameters from docments."""
import ast, inspect, re
from fractions import Fraction
from inspect import Parameter, Signature
from textwrap import dedent

from fastcore.docments import docments
from fastcore.script import Param


def type_name(anno):
    "An annotation as it reads in the source, without module names"
    if anno in (None, Parameter.empty, Signature.empty): return ''
    if isinstance(anno, str): return anno
    if isinstance(anno, Param): return type_name(anno.type or str)                        # of a console command
    if inspect.isfunction(anno): return 'flag' if anno.__name__.startswith('store_') else anno.__name__
    return re.sub(r'[\w.]*\.(\w+)', r'\1', inspect.formatannotation(anno)).replace(' | ', '|')

def default_name(p):
    "A default as it reads in the source"
    if p.default is Parameter.empty: return ''
    return getattr(p.default, '__name__', None) or repr(p.default)

def short(p):
    "A default for a reader: 1/6 and not all digits of it"
    text = default_name(p)
    if not isinstance(p.default, float) or len(text) < 12: return text
    f = Fraction(p.default).limit_denominator(1000)
    return str(f) if float(f)==p.default else text

def signature(obj):
    "Parameters without `self`, and the return annotation"
    try: sig = inspect.signature(obj)
    except ValueError: return [], Signature.empty   # an exception class has none
    return [p for p in sig.parameters.values() if p.name not in ('self', 'cls')], sig.return_annotation

def sig_text(name, params, returns):
    "A one-line signature with defaults and without types, which the table gives"
    out,kw = [],False
    for p in params:
        if p.kind is p.KEYWORD_ONLY and not kw: out.append('*')
        kw = kw or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        star = {p.VAR_POSITIONAL: '*', p.VAR_KEYWORD: '**'}.get(p.kind, '')
        out.append(star + p.name + (f'={short(p)}' if default_name(p) else ''))
    return f"{name}({', '.join(out)})" + (f' -> {type_name(returns)}' if type_name(returns) else '')

def field_comments(cls):
    "Trailing comments of the fields of a class such as a `NamedTuple`, which docments does not read"
    src = dedent(inspect.getsource(cls))
    lines = src.splitlines()
    fields = [o for o in ast.parse(src).body[0].body if isinstance(o, ast.AnnAssign)]
    return {o.target.id: lines[o.end_lineno-1][o.end_col_offset:].partition('#')[2].strip() for o in fields}

def plain(text):
    "Text for a Markdown cell: nothing in it is markup but code in backticks"
    parts = re.split(r'(`[^`]*`)', text or '')
    parts[::2] = [re.sub(r'([<*_\\])', r'\\\1', p) for p in parts[::2]]
    return ''.join(parts)

def table(obj, params, returns, name=lambda p: f'**{p.name}**'):
    "The parameters as a Markdown table; empty if none of them is described"
    docs = dict(docments(obj))
    if inspect.isclass(obj): docs = {**field_comments(obj), **{k:v for k,v in docs.items() if v}}
    if not any(docs.values()): return ''
    rows = [(name(p), type_name(p.annotation), short(p), plain(docs.get(p.name) or getattr(p.annotation, 'help', ''))) for p in params]
    if docs.get('return') and not inspect.isclass(obj): rows.append(('*returns*', type_name(returns), '', plain(docs['return'])))
    code = lambda s: f'`{s}`'
    rows = [('parameter', 'type', 'default', ''), ('---',)*4] + [(n, t and code(t), d and code(d), doc or '') for n,t,d,doc in rows]
    if not any(r[2] for r in rows[2:]): rows = [(n, t, doc) for n,t,_,doc in rows]
    return '\n'.join('| ' + ' | '.join(c.replace('\n', ' ').replace('|', r'\|') for c in r) + ' |' for r in rows)

def methods(cls):
    "Public documented methods and properties that `cls` itself defines"
    kinds = property, classmethod, staticmethod
    for name,o in vars(cls).items():
        if name[0]=='_' or not getattr(o, '__doc__', None): continue
        if inspect.isfunction(o) or isinstance(o, kinds): yield name, o

def attributes(cls):
    "Public attributes that `__init__` sets and describes in a trailing comment"
    src = dedent(inspect.getsource(cls))
    lines = src.encode().splitlines()              # columns of `ast` count bytes
    init = [o for o in ast.parse(src).body[0].body if getattr(o, 'name', '')=='__init__']
    for o in ast.walk(init[0]) if init else ():
        if not (isinstance(o, ast.Assign) and isinstance(o.targets[0], ast.Attribute)): continue
        name,comment = o.targets[0].attr, lines[o.end_lineno-1][o.end_col_offset:].decode().partition('#')[2].strip()
        if name[0]!='_' and comment: yield name, comment

def members(cls, skip):
    "Everything public in a class whose methods are described elsewhere, as a Markdown table; empty for any other"
    found = dict(methods(cls))
    if not any(f'{cls.__name__}.{name}' in skip for name in found): return ''
    rows = list(attributes(cls))
    for name,o in found.items():
        call = '' if isinstance(o, property) else '()'
        rows.append((f'{cls.__name__}.{name}{call}', inspect.getdoc(o)))
    return '\n'.join(['| member | |', '|---|---|', *(f"| `{name}` | {doc.splitlines()[0]} |" for name,doc in rows)])

def directive(kind, sig, module, body, *options, fence='```'):
    return '\n'.join([f'{fence}{{py:{kind}}} {sig}', f':module: {module}', *options, '', body, fence])

def entry(
    name,        # Dotted name inside the module: `sgd` or `MARTHE.step`
    obj,         # What it names
    module,      # The module that defines it
    skip=(),     # Methods that have entries of their own
    index=True,  # Is this the entry that links lead to?
    overview=True # A table of members, where their entries stand elsewhere?
):
    "The Markdown of one API entry: signature, summary, parameters and, for a class, its methods"
    options = [] if index else [':no-index:']
    if isinstance(obj, (classmethod, staticmethod)):
        options.append(f':{type(obj).__name__}:')
        obj = obj.__func__
    doc = inspect.getdoc(obj) or ''
    if isinstance(obj, property): return directive('property', name, module, doc, *options)
    obj = inspect.unwrap(obj)
    params,returns = signature(obj)
    body = f'{doc}\n\n{table(obj, params, returns)}'
    if not inspect.isclass(obj):
        return directive('method' if '.' in name else 'function', sig_text(name, params, returns), module, body, *options)
    own = [(n, o) for n,o in methods(obj) if f'{obj.__name__}.{n}' not in skip]
    nested = [entry(f'{name}.{n}', o, module, index=index) for n,o in own]
    body = '\n\n'.join([body, members(obj, skip) if overview else '', *nested])
    return directive('class', sig_text(name, params, None), module, body, *options, fence='````')
