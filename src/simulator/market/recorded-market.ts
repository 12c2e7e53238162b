import { readFileSync } from 'node:fs'
import { checkValue, type Check } from '../check.js'
import { SimulatorError } from '../simulator-error.js'
import { midpoint, toUnits } from './decimal.js'
import { btc, eth } from './known-tokens.js'
import type { Market, Quote, Token } from './market.js'

export interface RecordedMarketOptions {
  /** How many times faster than it was. Above 0, at most 1000. Default: 1. */
  readonly speed?: number
}

/** A quote, and when it came: in ms since the recording's first. */
interface Recorded {
  readonly at: number
  readonly quote: Quote
}

const speedCheck: Check = {
  expected: 'a number above 0 and at most 1000',
  holds: (value) => typeof value === 'number' && value > 0 && value <= 1000,
}

const recording = new URL('../../../examples/data/top-of-book.csv', import.meta.url)
const known = ({ address, symbol, decimals }: Token): Token => ({ address, symbol, decimals })
const recordedTokens: Readonly<Record<string, Token>> = { ETH: known(eth), BTC: known(btc) }

/**
 * Five minutes of a real market, over and over: the best bids and asks of ETH and BTC as they were recorded (see
 * `examples/data/README.md`). The price is the midpoint; what can be bought is the best ask's quantity, and what
 * can be sold the best bid's.
 */
export const recordedMarket = ({ speed = 1 }: RecordedMarketOptions = {}): Market => {
  checkValue('speed', speed, speedCheck)
  const rows = readRecording()
  return {
    tokens: Object.values(recordedTokens),
    open: (emit) => play(rows, speed, emit),
  }
}

/** Well within what a timer of Node takes, in ms: the slowest recording is only looked at more often. */
const longestWait = 60_000

const play = (rows: readonly Recorded[], speed: number, emit: (quote: Quote) => void): (() => void) => {
  const length = rows.at(-1)?.at ?? 0
  for (const { address } of Object.values(recordedTokens)) {
    const first = rows.find(({ quote }) => quote.token === address)
    if (first !== undefined) emit(first.quote)
  }
  let index = 0
  let began = performance.now()
  const elapsed = () => (performance.now() - began) * speed
  const advance = () => {
    // After a long sleep of the machine the recording goes on from where it stood.
    if (elapsed() > 2 * length) began = performance.now() - (rows[index]?.at ?? 0) / speed
    for (let row = rows[index]; row !== undefined && row.at <= elapsed(); row = rows[index]) {
      emit(row.quote)
      index += 1
      if (index < rows.length) continue
      index = 0
      began += length / speed
    }
    const wait = ((rows[index]?.at ?? 0) - elapsed()) / speed
    timer = setTimeout(advance, Math.min(Math.max(wait, 1), longestWait))
  }
  let timer = setTimeout(advance, 1)
  return () => clearTimeout(timer)
}

const readRecording = (): readonly Recorded[] => {
  const [, ...lines] = readText().trimEnd().split('\n')
  const start = Number(lines[0]?.split(',')[0])
  return lines.map((line) => {
    const [time, name = '', bid, bidQuantity = '', ask, askQuantity = ''] = line.split(',')
    const token = recordedTokens[name]
    if (token === undefined) throw new SimulatorError('market', `the recording has an unknown token, ${name}`)
    const price = midpoint(Number(bid), Number(ask))
    const buy = toUnits(askQuantity, token.decimals)
    const sell = toUnits(bidQuantity, token.decimals)
    return { at: Number(time) - start, quote: { token: token.address, price, buy, sell } }
  })
}

const readText = (): string => {
  try {
    return readFileSync(recording, 'utf8')
  } catch (cause) {
    const problem =
      'the recording is not where the package keeps it; install the package anew, or use randomWalk'
    throw new SimulatorError('market', problem, cause as Error)
  }
}
