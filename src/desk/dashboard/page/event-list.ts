import { symbolsText, type LogEntry } from '../../display/display.js'
import { clockTime } from '../../display/texts.js'
import { fromHtml, partsOf, setAttribute, setText } from './html.js'

const listHtml = (title: string): string => `<section class="log" aria-labelledby="${title}">
  <h2><button id="${title}" aria-expanded="false">${title}</button></h2>
  <ol role="log" aria-live="polite" aria-labelledby="${title}" tabindex="0"></ol>
</section>`

const entryHtml = '<li><time></time><span></span></li>'

/** A log at the bottom of the window: the newest entry, or all of them in a list that scrolls. */
export class EventList {
  readonly element: HTMLElement
  readonly #part: (selector: string) => HTMLElement
  readonly #entries = new Map<number, HTMLElement>()
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

  /** Shows the entries, the newest first. */
  render(log: readonly LogEntry[]): void {
    if (log === this.#log) return
    this.#log = log
    const list = this.#part('ol')
    for (const entry of log.toReversed()) {
      const element = this.#entries.get(entry.id) ?? this.#add(entry.id, list)
      renderEntry(element, entry)
    }
    const oldest = log.at(-1)?.id ?? Infinity
    for (const [id, element] of this.#entries) {
      if (id >= oldest) break
      element.remove()
      this.#entries.delete(id)
    }
  }

  #add(id: number, list: HTMLElement): HTMLElement {
    const element = fromHtml(entryHtml)
    this.#entries.set(id, element)
    list.prepend(element)
    return element
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
