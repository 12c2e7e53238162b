import { numberOption } from '../../base/option-kinds/number-option.js'
import { checkValue, SimulatorError } from '../simulator-error.js'
import { btc, eth } from './token-options.js'
import topOfBook from './top-of-book.json' with { type: 'json' }
import { midpoint, toUnits, type Market, type Quote, type Token } from './market.js'

/** Options of `recordedMarket`. */
export interface RecordedMarketOptions {
  /** Speed relative to real time. Above 0, at most 1000. Default: 1. */
  readonly speed?: number
}

interface RecordedQuote {
  /** Time since the first row of the recording, in ms. */
  readonly at: number
  readonly quote: Quote
}

export const speedOption = numberOption({ above: 0, max: 1000, default: 1 })

const withoutPrice = ({ address, symbol, decimals }: Token): Token => ({ address, symbol, decimals })
const recordedTokens: Readonly<Record<string, Token>> = { ETH: withoutPrice(eth), BTC: withoutPrice(btc) }

/**
 * A market that plays five recorded minutes of a real order book in a loop: the best bids and asks of ETH and BTC (see
 * `examples/data/README.md`). The price is the midpoint; the buy quantity is that of the best ask, the sell quantity
 * that of the best bid. Throws a `SimulatorError` if the speed is invalid.
 */
export const recordedMarket = ({ speed = speedOption.default }: RecordedMarketOptions = {}): Market => {
  checkValue('speed', speed, speedOption)
  const rows = readRecording()
  return {
    tokens: Object.values(recordedTokens),
    open: (emit) => play(rows, speed, emit),
  }
}

/** Keeps delays of slow recordings within the range of Node's timers, in ms. */
const maxTimerDelay = 60_000

const play = (rows: readonly RecordedQuote[], speed: number, emit: (quote: Quote) => void): (() => void) => {
  const duration = rows.at(-1)?.at ?? 0
  for (const { address } of Object.values(recordedTokens)) {
    const first = rows.find(({ quote }) => quote.token === address)
    if (first !== undefined) emit(first.quote)
  }
  let index = 0
  let startedAt = performance.now()
  const elapsed = () => (performance.now() - startedAt) * speed
  const emitDue = () => {
    for (let row = rows[index]; row !== undefined && row.at <= elapsed(); row = rows[index]) {
      emit(row.quote)
      index += 1
      if (index < rows.length) continue
      index = 0
      startedAt += duration / speed
    }
    const delay = ((rows[index]?.at ?? 0) - elapsed()) / speed
    timer = setTimeout(emitDue, Math.min(Math.max(delay, 1), maxTimerDelay))
  }
  let timer = setTimeout(emitDue, 1)
  return () => clearTimeout(timer)
}

/** The rows of `examples/data/top-of-book.csv`, which a bundle of the simulator contains. */
const readRecording = (): readonly RecordedQuote[] => {
  const [, ...lines] = topOfBook
  const start = Number(lines[0]?.split(',')[0])
  return lines.map((line) => {
    const [time, name = '', bid, bidQuantity = '', ask, askQuantity = ''] = line.split(',')
    const token = recordedTokens[name]
    if (token === undefined) throw new SimulatorError('market', `unknown token in the recording: ${name}`)
    const price = midpoint(Number(bid), Number(ask))
    const buy = toUnits(askQuantity, token.decimals)
    const sell = toUnits(bidQuantity, token.decimals)
    return { at: Number(time) - start, quote: { token: token.address, price, buy, sell } }
  })
}
