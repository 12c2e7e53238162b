import { canonicalAddress } from '../base/domain/address.js'
import type { Connection } from './connection.js'
import {
  appended,
  createUpdate,
  emptyDisplay,
  type Display,
  type DisplayEvent,
  type LogEntry,
} from './display.js'
import type { PageEvent } from './events.js'
import { logTexts } from './log-texts.js'
import type { FillEntry, PageConfig } from './served.js'
import { initialTokenState } from './token-state.js'
import { WatchedToken } from './watched-token.js'

const update = createUpdate(logTexts)

/** What an event has changed. */
export interface Changes {
  readonly tokens: readonly WatchedToken[]
  /** The tokens whose threshold is newly reached. */
  readonly reached: readonly WatchedToken[]
}

/** What the page shows: each event is applied here, and each token has its state here alone. */
export class PageStore {
  readonly tokens: readonly WatchedToken[]
  /** The newest first; `undefined` without a journal. */
  fills: readonly FillEntry[] | undefined
  #display: Display

  constructor({ tokens, depthInterval }: PageConfig) {
    this.#display = emptyDisplay(tokens)
    this.tokens = tokens.map(
      (token, index) =>
        new WatchedToken(() => this.#display.tokens[index] ?? initialTokenState(token), depthInterval),
    )
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
      const past = this.tokens.filter(({ state }) => canonicalAddress(state.token.address) === event.address)
      for (const token of past) token.addPast(event.prices)
      return { tokens: past, reached: [] }
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
    const { tokens: before } = this.#display
    this.#display = update(this.#display, event)
    const changed = this.tokens.flatMap((token, index) => {
      const state = before[index]
      return state === undefined || state === token.state
        ? []
        : [{ token, isReached: token.onState(state, now) }]
    })
    const reached = changed.filter(({ isReached }) => isReached).map(({ token }) => token)
    for (const token of reached) this.#logReached(token, now)
    return { tokens: changed.map(({ token }) => token), reached }
  }

  #logReached({ reached }: WatchedToken, now: number): void {
    if (reached === undefined) return
    const text = `the price is ${reached.side} ${reached.threshold} USD.`
    const log = appended(this.#display.log, now, { tone: 'neutral', text }, reached.symbol)
    this.#display = { ...this.#display, log }
  }
}
