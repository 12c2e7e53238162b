import { bigintAsText } from '../../../base/domain/plain-decimal.js'
import type { PaperEvent } from '../events.js'
import type { AccountState } from '../state.js'

/** The journal of one run: lines of JSON. Each write has some events of the account, and last its state after them. */
export interface Journal {
  /** The state with which the account continues; undefined for a new one. */
  readonly saved: SavedState | undefined
  /** Appends whole lines in one write. Throws if that fails; then nothing is appended. */
  readonly write: (lines: string) => void
  readonly close: () => void
}

/** Throws if the journal cannot be read, is used by another process, or is no journal. */
export type OpenJournal = (path: string) => Journal

/** The version of the journal. It is in the first line of each run and in each state. */
export const journalVersion = 1

export const startTag = 'Start'

/** The first line of a run. `at`: when it began, in ms since the Unix epoch. */
export interface StartLine {
  readonly _tag: typeof startTag
  readonly at: number
}

export const startLine = (at: number): string =>
  `{"_tag":"${startTag}","version":${journalVersion},"at":${Math.floor(at)}}\n`

export const stateMark = '{"_tag":"State"'

export const journalLines = (events: readonly PaperEvent[], state: SavedState): string =>
  [...events, state].map((each) => `${jsonOf(each)}\n`).join('')

/** A rejected order may be anything. One that JSON cannot have, such as an object that contains itself, is `null`. */
const jsonOf = (line: PaperEvent | SavedState): string => {
  try {
    return JSON.stringify(line, bigintAsText)
  } catch (thrown) {
    if (line._tag !== 'Rejected') throw thrown
    return JSON.stringify({ ...line, order: null })
  }
}

/** The state of an account, which becomes JSON. */
export const savedStateOf = (state: AccountState) => {
  const { now: at, cash, fees, isLiquidated, numbered, lastPrices: prices, sampled, tokens, orders } = state
  return {
    _tag: 'State' as const,
    version: journalVersion,
    ...{ at, cash, fees, isLiquidated, numbered, prices, sampled },
    holdings: [...tokens].flatMap(([symbol, { position, taken }]) => {
      const { quantity, averagePrice } = position
      if (quantity === 0n && taken.size === 0) return []
      return [{ symbol, quantity, averagePrice: averagePrice ?? 0, taken: [...taken] }]
    }),
    orders: orders.map((order) => ({ ...order, token: undefined, passed: undefined })),
  }
}

export type SavedState = Omit<ReturnType<typeof savedStateOf>, 'version'>

/** Continues an account. Throws if it has a position or an order in a token that is not one of the account. */
export const continueFrom = (state: AccountState, saved: SavedState): void => {
  const tokenOf = (symbol: string) => {
    const token = state.tokens.get(symbol)
    if (token === undefined) throw new Error(`the journal has ${symbol}, which is not a token of the account`)
    return token
  }
  const { at, cash, fees, isLiquidated, numbered, prices, sampled, holdings, orders } = saved
  Object.assign(state, {
    ...{ now: at, cash, fees, isLiquidated, numbered, sampled },
  } satisfies Partial<AccountState>)
  for (const [symbol, token] of state.tokens) token.lastPrice = prices[symbol] ?? 0
  for (const { symbol, quantity, averagePrice, taken } of holdings) {
    const token = tokenOf(symbol)
    token.hold(quantity, averagePrice)
    for (const [timestamp, amounts] of taken) token.taken.set(timestamp, { ...amounts })
  }
  state.updateHeld()
  state.orders = orders.map((each) => ({ ...each, token: tokenOf(each.order.symbol) }))
}

const eventTags = ['Filled', 'Rejected', 'Cancelled', 'Liquidated', 'Equity', 'Account']

/** The lines of a recording have tags too. */
export const journalTags: ReadonlySet<unknown> = new Set([...eventTags, startTag, 'State'])
