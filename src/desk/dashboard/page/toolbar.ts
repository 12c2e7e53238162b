import { sortKeys, type SortKey, type View } from '../model/view.js'
import { fromHtml, partsOf, setAttribute, setText } from './html.js'

const titles: Readonly<Record<SortKey, string>> = {
  symbol: 'Token',
  price: 'Price',
  change: 'Change',
  age: 'Age',
  rate: 'Prices/s',
  lag: 'Lag',
}

const toolbarHtml = `<section class="tools" aria-label="View">
  <input type="search" aria-label="Filter by symbol or address" placeholder="Filter" autocomplete="off" spellcheck="false">
  <label>Sort <select><option value="">as given</option>${sortKeys
    .map((key) => `<option value="${key}">${titles[key]}</option>`)
    .join('')}</select></label>
  <button class="order" aria-label="Descending"><span class="arrow"></span></button>
  <span role="group" aria-label="Layout"><button data-layout="cards">Cards</button><button data-layout="table">Table</button></span>
  <p class="shown"></p>
  <button class="link">Copy link</button>
</section>`

/** The controls of the view. */
export class Toolbar {
  readonly element = fromHtml(toolbarHtml)
  readonly #part = partsOf(this.element)
  /** What the last copy has led to, which is shown while the page has that address. */
  #copied = { href: '', text: '' }

  constructor(onView: (change: (view: View) => View) => void) {
    const filter = this.#part('input') as HTMLInputElement
    const select = this.#part('select') as HTMLSelectElement
    filter.addEventListener('input', () => onView((view) => ({ ...view, filter: filter.value })))
    select.addEventListener('change', () => {
      const sort = sortKeys.find((key) => key === select.value)
      onView((view) => ({ ...view, sort, isDescending: sort !== undefined && sort !== 'symbol' }))
    })
    this.#part('.order').addEventListener('click', () =>
      onView((view) => ({ ...view, isDescending: !view.isDescending })),
    )
    for (const layout of ['cards', 'table'] as const) {
      this.#part(`[data-layout=${layout}]`).addEventListener('click', () =>
        onView((view) => ({ ...view, layout })),
      )
    }
    this.#part('.link').addEventListener('click', () => void this.#copyLink())
  }

  /** `shown`, `count`: the numbers of tokens that the view shows, and of all. */
  render({ layout, sort, isDescending, filter }: View, shown: number, count: number): void {
    const input = this.#part('input') as HTMLInputElement
    const select = this.#part('select') as HTMLSelectElement
    if (input.value !== filter) input.value = filter
    select.value = sort ?? ''
    const order = this.#part('.order') as HTMLButtonElement
    order.disabled = sort === undefined
    setAttribute(order, 'aria-pressed', String(isDescending))
    for (const each of ['cards', 'table']) {
      setAttribute(this.#part(`[data-layout=${each}]`), 'aria-pressed', String(each === layout))
    }
    setText(this.#part('.shown'), filter === '' ? '' : `${shown} of ${count} tokens`)
    setText(this.#part('.link'), this.#copied.href === location.href ? this.#copied.text : 'Copy link')
  }

  /** The address of the page has the view. */
  async #copyLink(): Promise<void> {
    const { href } = location
    try {
      await navigator.clipboard.writeText(href)
      this.#copied = { href, text: 'Copied' }
    } catch {
      this.#copied = { href, text: 'Copy the address of the page' }
    }
    setText(this.#part('.link'), this.#copied.text)
  }
}
