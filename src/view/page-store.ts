import { canonicalAddress } from '../base/domain/topic.js'
import type { Connection } from './connection.js'
import { appended, createUpdate, emptyDisplay, type DisplayEvent, type LogEntry } from './display.js'
import type { PageEvent } from './events.js'
import type { FillEntry, PageConfig } from './served.js'
import { WatchedToken } from './watched-token.js'

const update = createUpdate()

/** What an event has changed. */
export interface Changes {
  readonly tokens: readonly WatchedToken[]
  /** The tokens whose threshold is newly reached. */
  readonly reached: readonly WatchedToken[]
}

/** What the page shows: each event is applied here. */
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

  /** `now`: in ms since the Unix epoch. */
  receive(event: PageEvent, now: number): Changes {
    if (event._tag === 'Page') return { tokens: [], reached: [] }
    if (event._tag === 'Past') {
      const tokens = this.tokens.filter(
        ({ state }) => canonicalAddress(state.token.address) === event.address,
      )
      for (const token of tokens) token.addPast(event.prices)
      return { tokens, reached: [] }
    }
    if (event._tag === 'Fills') {
      this.fills = event.fills
      for (const token of this.tokens)
        token.fills = event.fills.filter(({ symbols }) => symbols.includes(token.state.token.symbol))
      return { tokens: this.tokens, reached: [] }
    }
    return this.#update(event, now)
  }

  #update(event: DisplayEvent, now: number): Changes {
    this.#display = update(this.#display, event)
    const { tokens: states } = this.#display
    const tokens = this.tokens.filter(({ state }, index) => state !== states[index])
    const reached = this.tokens.filter((token, index) => token.receive(states[index] ?? token.state, now))
    for (const token of reached) {
      const text = `the price is ${token.reached?.side} ${token.reached?.threshold} USD.`
      const log = appended(this.#display.log, now, { tone: 'neutral', text }, token.state.token.symbol)
      this.#display = { ...this.#display, log }
    }
    return { tokens, reached }
  }
}
