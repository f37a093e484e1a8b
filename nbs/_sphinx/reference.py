"The reference pages that no notebook makes: the classes that users meet, whole; the modules; the commands."
import inspect, re
from importlib import import_module

import api
from nbdev.config import get_config
from marthe._modidx import d as index

WHOLE = {('marthe.online', name) for name in ('MARTHE', 'HD', 'RTHO')}   # whose entries, which links lead to, stand here

def head(title, line, text): return f'# {title}\n\n> {line}\n\n{text}'

def attribute(cls, name, doc): return api.directive('attribute', f'{cls.__name__}.{name}', cls.__module__, api.plain(doc))

def whole(cls):
    "Everything public in a class: how it is made, its methods, its properties and its attributes"
    module,found = cls.__module__,dict(api.methods(cls))
    full = lambda name: f'{cls.__name__}.{name}'
    entry = lambda name: api.entry(full(name), found[name], module)
    plain = [name for name,o in found.items() if not isinstance(o, property)]
    yield api.entry(cls.__name__, cls, module, skip=[full(name) for name in found], overview=False)
    yield '## Methods'
    yield from map(entry, plain)
    yield '## Properties'
    yield from (entry(name) for name in found if name not in plain)
    yield '## Attributes'
    yield from (attribute(cls, name, doc) for name,doc in api.attributes(cls))

def marthe():
    from marthe import HD, MARTHE, RTHO
    text = ('[Quick start](../guides/quickstart.ipynb) shows it in use, [Reading the plot](../guides/plot.ipynb) explains the '
            'columns of `history`, and [MARTHE](../core/online.ipynb) derives it and has the code. `MARTHE(opt, model)` is '
            '*MARTHE (auto)*; with a `beta` it is *MARTHE (β)*, the rule of the paper.')
    others = [api.entry(f.__name__, f, f.__module__) for f in (HD, RTHO)]
    title = head('The class MARTHE', 'Its arguments, methods, properties and attributes.', text)
    return '\n\n'.join([title, '## Arguments', *whole(MARTHE), '## HD and RTHO', *others]) + '\n'

def public(module): return getattr(import_module(module), '__all__', ())

def modules(page_name):
    "A table of modules, in the order in which they build on each other, each with its page and its public names"
    rows = {}
    for module in index['syms']:
        code = inspect.getsource(import_module(module))
        made = re.search(r'File to edit: (?:\.\./)*nbs/(\S+)\.ipynb', code)
        doc = (inspect.getdoc(import_module(module)) or '').partition('\n')[0]
        names = ', '.join(f'{{py:obj}}`{n} <{module}.{n}>`' for n in public(module))
        link = f'[`{module}`](../{page_name(made[1])}.ipynb)'
        rows[made[1]] = f'| {link} | {api.plain(doc)} | {names} |'
    order = dict(core=0, theory=1, integrations=2, experiments=3)
    text = ('`import marthe` brings `MARTHE`, `HD` and `RTHO` and imports nothing heavier than PyTorch. The rest is imported '
            'from its module. Every module is made from one notebook, which is its page here.')
    parts = [head('Modules', 'Every module, its page and its public names.', text)]
    for floor in sorted({made.split('/')[0] for made in rows}, key=lambda f: order.get(f, 9)):
        listed = [row for made,row in sorted(rows.items()) if made.startswith(f'{floor}/')]
        parts.append('\n'.join([f'## {floor.capitalize()}\n', '| module | what it is | names |', '|---|---|---|', *listed]))
    return '\n\n'.join(parts) + '\n'

def option(p):
    "How a parameter of a command is given on the command line"
    bare = p.default is p.empty or not getattr(p.annotation, 'opt', True)
    return f'`{p.name}`' if bare else f'`--{p.name}`'

def commands():
    "Every console command with its options, from the function behind it"
    text = ('Console commands that come with the package. Each explains itself with `--help`, and one that stores results '
            'goes on where it was interrupted.')
    parts = [head('Commands', 'What reproduces the experiments.', text)]
    for line in get_config().console_scripts.split():
        name,_,target = line.partition('=')
        module,_,f = target.partition(':')
        f = inspect.unwrap(getattr(import_module(module), f))
        params,returns = api.signature(f)
        parts.append(f"## `{name}`\n\n{api.plain(inspect.getdoc(f))}\n\n{api.table(f, params, None, option)}")
    return '\n\n'.join(parts) + '\n'

def pages(page_name):
    "The Markdown of each page by its name"
    return {'reference/marthe': marthe(), 'reference/modules': modules(page_name), 'reference/commands': commands()}
