import { shortPrice } from '../../view/texts.js'
import { linePath, lineSize } from '../../view/token-chart.js'
import { timesOf } from '../../view/samples.js'
import { sortedBy, sortKeys, type View } from '../../view/view.js'
import type { Figures, ShownPrices, WatchedToken } from '../../view/watched-token.js'
import { lagText, priceReason, spanText } from '../../view/card-texts.js'
import { fromHtml, part, partsOf, setAttribute, setChildren, setText } from './html.js'
import { TokenElement, type TokenActions } from './token-element.js'

/** The columns, with their titles, and the cells of a row that have more than a text. */
const columns = [
  ['pin', 'Pin', '<button class="pin"></button>'],
  ['symbol', 'Token'],
  [
    'state',
    'State',
    '<span class="state"><span class="mark" aria-hidden="true"></span><span data-field="state"></span></span>',
  ],
  ['price', 'Price, USD'],
  ['change', 'Change'],
  [
    'line',
    'Chart',
    `<svg class="line" viewBox="0 -1 ${lineSize[0]} ${lineSize[1] + 2}" preserveAspectRatio="none" aria-hidden="true"><path /></svg>`,
  ],
  ['low', 'Low'],
  ['high', 'High'],
  ['age', 'Age'],
  ['lag', 'Lag'],
  ['buy', 'Can buy, USD'],
  ['sell', 'Can sell, USD'],
  ['alert', 'Alert', '<button class="threshold"></button>'],
] as const

/** The order in which columns are omitted from a narrow table, by the style sheet. */
const omitted = ['lag', 'age', 'low high', 'buy sell', 'pin', 'line', 'change', 'state', 'alert']

export const sortableColumns = columns.filter(([key]) => sortKeys.some((each) => each === key))

const headerHtml = columns.map((column) => {
  const [key, title] = column
  const content = sortableColumns.includes(column) ? `<button>${title}</button>` : title
  return `<th scope="col" data-column="${key}">${content}</th>`
})

const tableHtml = `<div class="rows"><table aria-label="Prices, which the buttons of the headers sort">
  <thead><tr>${headerHtml.join('')}</tr></thead>
  <tbody></tbody>
</table></div>`

/** The tokens as a table: a row each. Its headers sort it. */
export class TableElement {
  readonly element = fromHtml(tableHtml)
  readonly #part = partsOf(this.element)
  #isFitDue = true

  /** `rows`: of all tokens. */
  constructor(rows: readonly RowElement[], onView: (change: (view: View) => View) => void) {
    for (const key of sortKeys) {
      this.#part(`[data-column=${key}] button`).addEventListener('click', () =>
        onView((view) => sortedBy(view, key)),
      )
    }
    const byElement = new Map<Element, RowElement>(rows.map((row) => [row.element, row]))
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const row = byElement.get(target)
          if (row !== undefined) row.isInView = isIntersecting
        }
      },
      { rootMargin: '100px' },
    )
    for (const { element } of rows) observer.observe(element)
    new ResizeObserver(() => {
      this.#isFitDue = true
      this.fit()
    }).observe(this.element)
  }

  /** A row under the pointer or with the focus: moving rows now would move another one there. */
  get isInUse(): boolean {
    return this.#part('tbody').matches(':hover, :focus-within')
  }

  /** Shows these rows, and by which column they are sorted. */
  arrange(rows: readonly RowElement[], { sort, isDescending }: View): void {
    for (const key of sortKeys) {
      const header = this.#part(`[data-column=${key}]`)
      if (sort === key) setAttribute(header, 'aria-sort', isDescending ? 'descending' : 'ascending')
      else header.removeAttribute('aria-sort')
    }
    this.#isFitDue ||= this.#part('tbody').childElementCount !== rows.length
    setChildren(
      this.#part('tbody'),
      rows.map(({ element }) => element),
    )
  }

  /** Omits as many columns as necessary, so that no value is cut. */
  fit(): void {
    const { element } = this
    const isWide = (): boolean => element.scrollWidth > element.clientWidth
    if (!this.#isFitDue && !isWide()) return
    this.#isFitDue = false
    for (let count = 0; count === 0 || (count <= omitted.length && isWide()); count += 1)
      element.dataset['omitted'] = omitted.slice(0, count).join(' ')
  }
}

const rowHtml = `<table><tr>${columns
  .map(([key, , html]) => {
    if (key === 'symbol') return '<th scope="row" data-field="symbol"></th>'
    const field = html === undefined ? ` data-field="${key}"` : ''
    return `<td data-column="${key}"${field}>${html ?? ''}</td>`
  })
  .join('')}</tr></table>`

export class RowElement extends TokenElement {
  isInView = true
  /** The prices that the line shows. */
  #shown: ShownPrices | undefined

  constructor(token: WatchedToken, actions: TokenActions) {
    // A row outside of a table is no element of HTML.
    super(part(fromHtml(rowHtml), 'tr'), token, actions)
    const { symbol } = token.state.token
    setText(this.field('symbol'), symbol)
    this.field('symbol').title = token.address
    // Its column is not narrower than this, so that a long symbol has two lines at most where there is room.
    this.field('symbol').style.minWidth = `min(${Math.min(symbol.length, 16) + 2}ch, 25cqi)`
  }

  protected override renderToken({ low, high, lag, spanMs }: Figures, now: number, rangeMs: number): void {
    setAttribute(this.part('.state'), 'title', priceReason(this.token.state))
    for (const name of ['change', 'low', 'high']) setAttribute(this.field(name), 'title', spanText(spanMs))
    this.setNumber('low', low, shortPrice)
    this.setNumber('high', high, shortPrice)
    setText(this.field('lag'), lagText(lag))
    const shown = this.token.shown(now, rangeMs)
    if (shown === this.#shown) return
    this.#shown = shown
    const { at, data, range } = shown
    const path = range === undefined ? '' : linePath(data, timesOf(data, at, rangeMs), range)
    setAttribute(this.part('path'), 'd', path)
  }
}
