import { layouts, rangeNames, sortKeys, type View } from '../../view/view.js'
import { fromHtml, partsOf, setAttribute, setText } from './html.js'
import { sortableColumns } from './table-element.js'

/** Buttons of which one is pressed. */
const choiceHtml = (name: string, title: string, values: readonly string[]): string =>
  `<span role="group" aria-label="${title}">${values
    .map((value) => `<button data-${name}="${value}">${value}</button>`)
    .join('')}</span>`

const toolbarHtml = `<section class="tools" aria-label="View">
  <input type="search" aria-label="Filter by symbol or address" placeholder="Filter" autocomplete="off" spellcheck="false">
  ${choiceHtml('range', 'Range', rangeNames)}
  ${choiceHtml('layout', 'Layout', layouts)}
  <label><span>Sort </span><select aria-label="Sort"><option value="">original order</option>${sortableColumns
    .map(([key, title]) => `<option value="${key}">${title}</option>`)
    .join('')}</select></label>
  <button class="theme">Theme</button>
  <p class="shown"></p>
</section>`

export class Toolbar {
  readonly element = fromHtml(toolbarHtml)
  readonly #part = partsOf(this.element)
  /** Each has a part of the view as its data. */
  readonly #choices = [...this.element.querySelectorAll<HTMLElement>('[role] button')]

  constructor(onView: (change: (view: View) => View) => void, onTheme: () => void) {
    const filter = this.#part('input') as HTMLInputElement
    const select = this.#part('select') as HTMLSelectElement
    filter.addEventListener('input', () => onView((view) => ({ ...view, filter: filter.value })))
    select.addEventListener('change', () => {
      const sort = sortKeys.find((key) => key === select.value)
      onView((view) => ({ ...view, sort, isDescending: sort !== undefined && sort !== 'symbol' }))
    })
    for (const button of this.#choices)
      button.addEventListener('click', () => onView((view) => Object.assign({}, view, button.dataset)))
    this.#part('.theme').addEventListener('click', onTheme)
  }

  /** `shown`, `count`: the numbers of tokens that the view shows, and of all. */
  render({ layout, range, sort, filter }: View, shown: number, count: number): void {
    const input = this.#part('input') as HTMLInputElement
    const select = this.#part('select') as HTMLSelectElement
    if (input.value !== filter) input.value = filter
    select.value = sort ?? ''
    for (const button of this.#choices) {
      const value = button.textContent
      setAttribute(button, 'aria-pressed', String(value === layout || value === range))
    }
    setText(this.#part('.shown'), filter === '' ? '' : `${shown} of ${count} tokens`)
  }
}
