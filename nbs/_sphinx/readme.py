"""Write README.md from nbs/index.ipynb:  python nbs/_sphinx/readme.py

Markdown stays as it is, code becomes a fence, printed text an indented block, a picture a file in nbs/images."""
import base64, re
from pathlib import Path

from execnb.nbio import read_nb
from nbdev.process import NBProcessor

root = Path(__file__).resolve().parents[2]
images = root/'nbs/images'

def output(o, name):
    "One output as Markdown; pictures are written to `name`"
    if o.get('name')=='stderr': return ''
    data = o.get('data', {})
    if 'image/png' in data:
        images.mkdir(exist_ok=True)
        (images/name).write_bytes(base64.b64decode(''.join(data['image/png'])))
        return f'![](nbs/images/{name})'
    if 'text/markdown' in data: return ''.join(data['text/markdown'])
    text = ''.join(o.get('text') or data.get('text/plain', '')).rstrip()
    return '' if text.startswith('<') else re.sub('^', '    ', text, flags=re.M)

def blocks(nb):
    for i,c in enumerate(nb.cells):
        if 'hide' in c.directives_: continue
        if c.cell_type=='markdown': yield re.sub(r'\]\(([^):\s]+\.ipynb)', r'](nbs/\1', c.source)
        if c.cell_type!='code': continue
        if c.directives_.get('echo:')!=['false']: yield f'```python\n{c.source.strip()}\n```'
        yield from (output(o, f'index_{i}_{j}.png') for j,o in enumerate(c.outputs))

if __name__=='__main__':
    nb = NBProcessor(nb=read_nb(root/'nbs/index.ipynb')).nb
    head = '<!-- Made from nbs/index.ipynb by nbs/_sphinx/readme.py; edit the notebook. -->\n\n'
    (root/'README.md').write_text(head + '\n\n'.join(b for b in blocks(nb) if b) + '\n', encoding='utf8')
