import { formatSeconds, shortPrice } from '../../display/texts.js'
import { sortedBy, sortKeys, type SortKey, type View } from '../model/view.js'
import type { WatchedToken } from '../model/watched-token.js'
import { amountDigits, changeOf, lagText, priceReason, rateText, unknown } from '../text/card-texts.js'
import { fromHtml, part, partsOf, setAttribute, setChildren, setDigits, setText } from './html.js'
import { TokenElement, type TokenActions } from './token-element.js'

const headerHtml = (key: SortKey, title: string): string =>
  `<th scope="col" data-column="${key}"><button>${title}</button></th>`

const tableHtml = `<div class="rows"><table>
  <caption class="unseen">Prices. The buttons of the headers sort the rows.</caption>
  <thead><tr>
    <th scope="col" data-column="pin"><span class="unseen">Pin</span></th>
    ${headerHtml('symbol', 'Token')}
    <th scope="col" data-column="state">State</th>
    ${headerHtml('price', 'Price, USD')}
    ${headerHtml('change', 'Change')}
    ${headerHtml('age', 'Age')}
    ${headerHtml('rate', 'Prices/s')}
    ${headerHtml('lag', 'Lag')}
    <th scope="col" data-column="buy">Buy, USD</th>
    <th scope="col" data-column="sell">Sell, USD</th>
    <th scope="col" data-column="alert">Alert</th>
  </tr></thead>
  <tbody></tbody>
</table></div>`

/** The tokens as a table: a row each. Its headers sort it. */
export class TableElement {
  readonly element = fromHtml(tableHtml)
  readonly #part = partsOf(this.element)

  constructor(onView: (change: (view: View) => View) => void) {
    for (const key of sortKeys) {
      this.#part(`[data-column=${key}] button`).addEventListener('click', () =>
        onView((view) => sortedBy(view, key)),
      )
    }
    const body = this.#part('tbody')
    body.addEventListener('keydown', (event) => moveFocus(event))
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
    setChildren(
      this.#part('tbody'),
      rows.map(({ element }) => element),
    )
  }
}

/** The arrow keys move from a button to that of the next row. */
const moveFocus = (event: KeyboardEvent): void => {
  const button = event.target
  if (!(button instanceof HTMLButtonElement)) return
  const row = button.closest('tr')
  const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[event.key]
  const target = next?.querySelector<HTMLElement>(`.${button.className}`)
  if (!target) return
  event.preventDefault()
  target.focus()
}

const rowHtml = `<tr>
  <td><button class="pin">Pin</button></td>
  <th scope="row" data-column="symbol"></th>
  <td data-column="state"><span class="state"><span class="mark" aria-hidden="true"></span><span class="word"></span></span></td>
  <td data-column="price"></td>
  <td data-column="change"></td>
  <td data-column="age"></td>
  <td data-column="rate"></td>
  <td data-column="lag"></td>
  <td data-column="buy"></td>
  <td data-column="sell"></td>
  <td><button class="threshold"></button></td>
</tr>`

/** The row of one token. */
export class RowElement extends TokenElement {
  constructor(token: WatchedToken, actions: TokenActions) {
    // A row outside of a table is no element of HTML.
    super(part(fromHtml(`<table><tbody>${rowHtml}</tbody></table>`), 'tr'), token, actions)
    this.element.dataset['row'] = token.address
    setText(this.#cell('symbol'), token.state.token.symbol)
    this.#cell('symbol').title = token.address
  }

  protected override renderToken(now: number): void {
    const { state: token, samples } = this.token
    const { state, price, change, age, rate, lag, buy, sell } = this.token.figures(now)
    setText(this.part('.word'), state)
    setAttribute(this.part('.state'), 'title', priceReason(token))
    this.#setNumber('price', price === undefined ? undefined : shortPrice(price))
    const from = samples.firstPrice()
    const changed =
      change === undefined || price === undefined || from === undefined ? undefined : changeOf(price, from)
    setText(this.#cell('change'), changed?.text ?? unknown)
    setAttribute(this.#cell('change'), 'data-direction', changed?.direction ?? '')
    setText(this.#cell('age'), age === undefined ? unknown : formatSeconds(age))
    setText(this.#cell('rate'), rateText(rate))
    setText(this.#cell('lag'), lagText(lag))
    this.#setNumber('buy', buy === undefined ? undefined : amountDigits(buy))
    this.#setNumber('sell', sell === undefined ? undefined : amountDigits(sell))
  }

  #setNumber(column: string, digits: ReturnType<typeof shortPrice> | undefined): void {
    if (digits === undefined) setText(this.#cell(column), unknown)
    else setDigits(this.#cell(column), digits)
  }

  #cell(column: string): HTMLElement {
    return this.part(`[data-column=${column}]`)
  }
}
