import { canonicalAddress } from '../base/domain/topic.js'
import type { Connection } from './connection.js'
import { appended, createUpdate, emptyDisplay, type DisplayEvent, type LogEntry } from './display.js'
import type { FillEntry, PageConfig, PageEvent } from './served.js'
import { WatchedToken } from './watched-token.js'

const update = createUpdate()

export class PageStore {
  readonly tokens: readonly WatchedToken[]
  /** The newest first; `undefined` without a journal. */
  fills: readonly FillEntry[] | undefined
  #display

  constructor({ tokens, depthInterval }: PageConfig) {
    this.#display = emptyDisplay(tokens)
    this.tokens = this.#display.tokens.map((state) => new WatchedToken(state, depthInterval))
  }

  get connection(): Connection {
    return this.#display.connection
  }

  get log(): readonly LogEntry[] {
    return this.#display.log
  }

  /** Returns the tokens that the event changes. `now`: in ms since the Unix epoch. */
  receive(event: PageEvent, now: number): readonly WatchedToken[] {
    if (event._tag === 'Page') return []
    if (event._tag === 'Past') {
      const tokens = this.tokens.filter(
        ({ state }) => canonicalAddress(state.token.address) === event.address,
      )
      for (const token of tokens) token.addPast(event.prices)
      return tokens
    }
    if (event._tag === 'Fills') {
      this.fills = event.fills
      for (const token of this.tokens)
        token.fills = event.fills.filter(({ symbols }) => symbols.includes(token.state.token.symbol))
      return this.tokens
    }
    return this.#update(event, now)
  }

  #update(event: DisplayEvent, now: number): readonly WatchedToken[] {
    this.#display = update(this.#display, event)
    const { tokens: states } = this.#display
    const changed = this.tokens.filter(({ state }, index) => state !== states[index])
    for (const [index, token] of this.tokens.entries()) {
      if (!token.receive(states[index] ?? token.state, now)) continue
      const text = `the price is ${token.reached?.side} ${token.reached?.threshold} USD.`
      const log = appended(this.#display.log, now, { tone: 'neutral', text }, token.state.token.symbol)
      this.#display = { ...this.#display, log }
    }
    return changed
  }
}
