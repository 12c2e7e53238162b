import { bigintAsText } from '../../../base/domain/plain-decimal.js'
import type { PaperEvent } from '../events.js'
import type { Side } from '../orders.js'
import type { AccountState, Sampled, WorkingOrder } from '../state.js'

/** The journal of one run: lines of JSON, each an event of the account, or its state after the events before it. */
export interface Journal {
  readonly start: JournalStart
  /** Appends whole lines in one write. Throws if that fails; then nothing is appended. */
  readonly write: (lines: string) => void
  readonly close: () => void
}

/** Throws if the journal cannot be read, is used by another process, or is no journal. */
export type OpenJournal = (path: string) => Journal

/** Where an account continues. */
export interface JournalStart {
  readonly saved: SavedState | undefined
  /** The last price of each token that the journal has, by symbol. */
  readonly prices: Readonly<Record<string, number>>
  readonly sampled: Sampled | undefined
  /** Data time of the last line, in ms. */
  readonly at: number
}

export const emptyStart: JournalStart = { saved: undefined, prices: {}, sampled: undefined, at: 0 }

/** The version of the journal. It is in the first line of each run and in each state. */
export const journalVersion = 1

/** The tag of the first line of each run. */
export const startTag = 'Start'

/** The first line of a run. `at`: when it began, in ms since the Unix epoch. */
export interface StartLine {
  readonly _tag: typeof startTag
  readonly at: number
}

export const startLine = (at: number): string =>
  `{"_tag":"${startTag}","version":${journalVersion},"at":${Math.floor(at)}}\n`

/** The state of an account, which becomes JSON. */
export interface SavedState {
  readonly _tag: 'State'
  readonly at: number
  /** USD. */
  readonly cash: number
  readonly fees: number
  readonly isLiquidated: boolean
  /** The number of orders that have got a number as their id. */
  readonly numbered: number
  /** The last price of each token that has one, by symbol. */
  readonly prices: Readonly<Record<string, number>>
  /** Of the last `Equity`. */
  readonly sampled: Sampled | undefined
  readonly holdings: readonly SavedHolding[]
  readonly orders: readonly SavedOrder[]
}

interface SavedHolding {
  readonly symbol: string
  readonly quantity: bigint
  /** 0 without a position. */
  readonly averagePrice: number
  /** What orders have taken of the last depths, by `timestamp`. */
  readonly taken: readonly (readonly [timestamp: number, Readonly<Record<Side, bigint>>])[]
}

type SavedOrder = Omit<WorkingOrder, 'token' | 'causedBy'>

/** The start of a line of a state. */
export const stateMark = '{"_tag":"State"'

/** The lines of some events, and of the state after them if it has changed. */
export const journalLines = (events: readonly PaperEvent[], state: SavedState | undefined): string =>
  [...events, ...(state === undefined ? [] : [state])]
    .map((each) => `${JSON.stringify(each, bigintAsText)}\n`)
    .join('')

export const savedStateOf = (state: AccountState): SavedState & { readonly version: number } => {
  const { now: at, cash, fees, isLiquidated, numbered, lastPrices: prices, sampled, tokens, orders } = state
  return {
    ...{ _tag: 'State', version: journalVersion, at, cash, fees, isLiquidated, numbered, prices, sampled },
    holdings: [...tokens]
      .filter(([, { position, taken }]) => position.quantity !== 0n || taken.size > 0)
      .map(
        ([
          symbol,
          {
            position: { quantity, averagePrice },
            taken,
          },
        ]) => ({
          ...{ symbol, quantity, averagePrice: averagePrice ?? 0, taken: [...taken] },
        }),
      ),
    orders: orders.map(
      ({ id, order, decidedAt, rest, remaining, best, triggeredAt, isResting, isForced }) => ({
        ...{ id, order, decidedAt, rest, remaining, best, triggeredAt, isResting, isForced },
      }),
    ),
  }
}

/** Continues an account. Throws if the journal has a position in a token that is not one of the account. */
export const continueFrom = (state: AccountState, { saved, prices, sampled, at }: JournalStart): void => {
  state.now = at
  state.sampled = sampled
  for (const [symbol, token] of state.tokens) token.lastPrice = prices[symbol] ?? 0
  if (saved === undefined) return
  const tokenOf = (symbol: string) => {
    const token = state.tokens.get(symbol)
    if (token === undefined) throw new Error(`the journal has ${symbol}, which is not a token of the account`)
    return token
  }
  state.cash = saved.cash
  state.fees = saved.fees
  state.isLiquidated = saved.isLiquidated
  state.numbered = saved.numbered
  for (const { symbol, quantity, averagePrice, taken } of saved.holdings) {
    const token = tokenOf(symbol)
    token.hold(quantity, averagePrice)
    for (const [timestamp, amounts] of taken) token.taken.set(timestamp, { ...amounts })
  }
  state.updateHeld()
  state.orders = saved.orders.map((each) => ({ ...each, token: tokenOf(each.order.symbol) }))
}

/** The tags of events that change the state of the account. */
export const changes: ReadonlySet<unknown> = new Set(['Filled', 'Rejected', 'Cancelled', 'Liquidated'])

/** The tags of events that an account has emitted. */
export const eventTags: ReadonlySet<unknown> = new Set([...changes, 'Equity', 'Account'])

/** The lines of a recording have tags too. */
export const journalTags: ReadonlySet<unknown> = new Set([...eventTags, 'WriteError', startTag, 'State'])
