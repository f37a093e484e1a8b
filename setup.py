"Everything here is read from settings.ini, so that a fact is written once."
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup

root = Path(__file__).parent
cfg = ConfigParser()
cfg.read(root/'settings.ini', encoding='utf8')
cfg = cfg['DEFAULT']
extras = [k.removesuffix('_requirements') for k in cfg if k.endswith('_requirements')]
scripts = cfg['console_scripts'].split()

setup(
    name=cfg['lib_name'], version=cfg['version'], description=cfg['description'], keywords=cfg['keywords'],
    author=cfg['author'], author_email=cfg['author_email'], url=cfg['git_url'], license='Apache-2.0',
    long_description=(root/'README.md').read_text(encoding='utf8'), long_description_content_type='text/markdown',
    python_requires=f">={cfg['min_python']}",
    packages=find_packages(include=[cfg['lib_name'], f"{cfg['lib_name']}.*"]), include_package_data=True,
    install_requires=cfg['requirements'].split(),
    extras_require={k: cfg[f'{k}_requirements'].split() for k in extras},
    entry_points={'console_scripts': scripts, 'nbdev': [f"{cfg['lib_name']}={cfg['lib_name']}._modidx:d"]},
    zip_safe=False,
    classifiers=['Development Status :: 4 - Beta', 'Intended Audience :: Science/Research',
                 'Programming Language :: Python :: 3'],
)
