"""Write README.md from nbs/index.ipynb:  python nbs/_sphinx/readme.py

Markdown stays as it is, code becomes a fence, printed text an indented block, a picture a file in nbs/images."""
import base64, re
from pathlib import Path
from textwrap import indent

from execnb.nbio import read_nb
from nbdev.process import NBProcessor

root = Path(__file__).resolve().parents[2]
images = root/'nbs/images'

def picture(png, name, alt):
    images.mkdir(exist_ok=True)
    (images/name).write_bytes(base64.b64decode(''.join(png)))
    return f'![{alt}](nbs/images/{name})'

def output(o, name, alt):
    "One output as Markdown; a picture is written to the file `name`"
    data = o.get('data', {})
    if 'image/png' in data: return picture(data['image/png'], name, alt)
    if 'text/markdown' in data: return ''.join(data['text/markdown'])
    text = ''.join(o.get('text') or data.get('text/plain', '')).rstrip()
    return '' if o.get('name')=='stderr' or text.startswith('<') else indent(text, '    ')

def blocks(nb):
    n = 0
    for c in nb.cells:
        if 'hide' in c.directives_: continue
        if c.cell_type=='markdown': yield re.sub(r'\]\(([^):\s]+\.ipynb)', r'](nbs/\1', c.source.strip())
        if c.cell_type!='code': continue
        code = '\n'.join(l for l in c.source.strip().splitlines() if not l.startswith('#|'))
        if c.directives_.get('echo:')!=['false']: yield f'```python\n{code}\n```'
        for o in c.outputs:
            yield output(o, f'index_{n}.png', ' '.join(c.directives_.get('fig-alt:', [])))
            n += 1

if __name__=='__main__':
    for old in images.glob('index_*.png'): old.unlink()
    nb = NBProcessor(nb=read_nb(root/'nbs/index.ipynb')).nb
    head = '<!-- Made from nbs/index.ipynb by nbs/_sphinx/readme.py; edit the notebook. -->\n\n'
    (root/'README.md').write_text(head + '\n\n'.join(b for b in blocks(nb) if b) + '\n', encoding='utf8')
