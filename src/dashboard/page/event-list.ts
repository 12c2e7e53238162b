import { symbolsText, type LogEntry } from '../../view/display.js'
import { clockTime } from '../../view/texts.js'
import { fromHtml, partsOf, setAttribute, setText } from './html.js'

const listHtml = (title: string): string => `<section class="log" aria-labelledby="${title}">
  <h2><button id="${title}" aria-expanded="false">${title}</button></h2>
  <div role="log" aria-live="polite" aria-labelledby="${title}" tabindex="0"><ol></ol></div>
</section>`

const maxEntries = 100

const entryHtml = '<li><time></time><span></span></li>'

/** A log at the bottom of the window: the newest entry, or all of them in a list that scrolls. */
export class EventList {
  readonly element: HTMLElement
  readonly #part: (selector: string) => HTMLElement
  #entries: ReadonlyMap<number, HTMLElement> = new Map()
  #log: readonly LogEntry[] = []

  constructor(title: string) {
    this.element = fromHtml(listHtml(title))
    this.#part = partsOf(this.element)
    const button = this.#part('button')
    button.addEventListener('click', () => {
      const isOpen = button.getAttribute('aria-expanded') !== 'true'
      button.setAttribute('aria-expanded', String(isOpen))
      this.element.classList.toggle('open', isOpen)
    })
  }

  /** Shows the entries, the newest first. Those that remain stay where they are: a screen reader announces the new ones alone. */
  render(log: readonly LogEntry[]): void {
    if (log === this.#log) return
    this.#log = log
    const before = this.#entries
    const elements = log
      .slice(0, maxEntries)
      .map((entry) => [entry, before.get(entry.id) ?? fromHtml(entryHtml)] as const)
    this.#entries = new Map(elements.map(([{ id }, element]) => [id, element]))
    for (const [id, element] of before) if (!this.#entries.has(id)) element.remove()
    this.#part('ol').prepend(...elements.flatMap(([{ id }, element]) => (before.has(id) ? [] : [element])))
    for (const [entry, element] of elements) renderEntry(element, entry)
  }
}

const renderEntry = (element: HTMLElement, entry: LogEntry): void => {
  const [time, text] = element.children
  if (!(time instanceof HTMLTimeElement) || text === undefined) return
  setAttribute(element, 'data-tone', entry.tone)
  setAttribute(time, 'datetime', new Date(entry.at).toISOString())
  setText(time, clockTime(entry.at))
  const symbols = entry.symbols.length === 0 ? '' : `${symbolsText(entry)}: `
  setText(text, `${symbols}${entry.text}`)
}
