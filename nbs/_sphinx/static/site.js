// Copy buttons on code, boxes that show that they scroll, rows of plots, and search results without TeX.
(() => {
  const copied = 'Copied', copy = 'Copy'
  const CODE = 'div.cell_input div.highlight, div[class*=highlight-]:not(.highlight-none):not(.highlight-text):not(.highlight-myst-ansi) > div.highlight'
  const BOXES = 'div.table-wrapper, div.math, div.highlight > pre, div.output pre, div.cell_output, div.output'

  function addCopyButtons() {
    document.querySelectorAll(CODE).forEach(box => {
      if (box.closest('div.cell_output') || box.querySelector('button.copy')) return
      const button = Object.assign(document.createElement('button'), {type: 'button', className: 'copy', textContent: copy, title: 'Copy this code'})
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(box.querySelector('pre').textContent.replace(/\n$/, ''))
        button.textContent = copied
        setTimeout(() => { button.textContent = copy }, 1500)
      })
      box.append(button)
    })
  }

  // An equation that is a little too wide becomes a little smaller; one that would have to shrink by more than a third scrolls
  function fitEquations() {
    const all = [...document.querySelectorAll('div.math mjx-container')]
    all.forEach(o => { o.style.fontSize = '' })
    const share = o => { const box = o.closest('div.math'); return box.clientWidth/box.scrollWidth }
    const needs = all.map(share)                                   // reads apart from writes
    for (const tight of [98, 92, 86]) {                            // browsers round an ex to whole pixels, so one try may not do
      const now = all.map(share)
      all.forEach((o, i) => { if (now[i] < 1 && needs[i] > 0.65) o.style.fontSize = `${Math.floor(tight*needs[i])}%` })
    }
  }

  function markScrolling() {
    const boxes = [...document.querySelectorAll(BOXES)]
    const hidden = boxes.map(box => box.scrollWidth > box.clientWidth + 1)
    boxes.forEach((box, i) => {
      box.classList.toggle('scrolls', hidden[i])
      if (!hidden[i]) return
      box.tabIndex = 0                          // for the keyboard
      const atEnd = () => box.classList.toggle('at-end', box.scrollLeft + box.clientWidth >= box.scrollWidth - 2)
      box.onscroll = atEnd
      atEnd()
    })
  }

  function markRows() {
    document.querySelectorAll('div.cell_output img').forEach(o => o.classList.toggle('row', o.naturalWidth > 2.6*o.naturalHeight))
  }

  const LETTERS = {alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', Delta: 'Δ', epsilon: 'ε', eta: 'η', theta: 'θ', kappa: 'κ', lambda: 'λ',
    mu: 'μ', nabla: '∇', partial: '∂', phi: 'φ', Phi: 'Φ', psi: 'ψ', rho: 'ρ', sigma: 'σ', tau: 'τ', top: 'ᵀ', cdot: '·', times: '×', leftarrow: '←',
    to: '→', approx: '≈', le: '≤', ge: '≥', pm: '±', infty: '∞', sum: 'Σ', sqrt: '√'}
  const spoken = tex => tex.replace(/^\s*(\\\(|\\\[)|(\\\)|\\\])\s*$/g, '').replace(/\\(begin|end|tag|label)\{[^}]*\}/g, '')
    .replace(/\\([A-Za-z]+)/g, (_, name) => LETTERS[name] ?? '').replace(/[\\{}^_$&~]/g, '')

  function readableResults() {
    if (typeof Search === 'undefined' || !Search.htmlToText) return
    const original = Search.htmlToText
    Search.htmlToText = (html, anchor) => {
      const page = new DOMParser().parseFromString(html, 'text/html')
      page.querySelectorAll('.math').forEach(o => { o.textContent = spoken(o.textContent) })
      return original(page.documentElement.outerHTML, anchor)
    }
  }

  addEventListener('DOMContentLoaded', () => { addCopyButtons(); readableResults() })
  addEventListener('load', () => {
    let width = innerWidth
    markRows()
    const again = () => { fitEquations(); markScrolling() }
    again()
    window.MathJax?.startup?.promise?.then(again)
    addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; again() } })
    let waiting = false
    document.addEventListener('toggle', () => {
      if (!waiting) requestAnimationFrame(() => { waiting = false; markScrolling() })
      waiting = true
    }, true)
  })
})()
