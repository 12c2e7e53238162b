import { lastValueFrom, toArray } from 'rxjs'
import { paper, type PaperEvent } from 'svc-streams/paper'
import { replay, writeRecording, type OwnRow, type StrategyClient } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import strategy$, { options } from '../../examples/strategies/warm-pairs.js'
import { readPage } from '../docs/support/block.js'
import { newFile } from '../cli/support/new-file.js'
import { btcTopic, ethTopic, wbtc, weth } from '../support/tokens.js'

const start = 1_723_161_600_000
const parameter = { usd: 2_000, ms: 2_000, count: 10, entry: 2, exit: 0.5 }

/** A price of both tokens each second. `btcUnits`: the quantity of each side of a depth of BTC. */
const market = (
  prices: readonly (readonly [eth: number, btc: number, btcUnits?: bigint])[],
): readonly OwnRow[] =>
  prices.flatMap(([eth, btc, btcUnits = 10n ** 10n], second) => {
    const at = start + second * 1_000
    const plenty = 10n ** 21n
    return [
      { at, mint: weth, price: eth, buy: plenty, sell: plenty },
      { at, mint: wbtc, price: btc, buy: btcUnits, sell: btcUnits },
      { at, topic: btcTopic, price: btc },
      { at, topic: ethTopic, price: eth },
    ]
  })

const eventsOf = async (rows: readonly OwnRow[], { from = 0, isWarm = true } = {}) => {
  const file = newFile('market.ndjson', '')
  const { tokens } = options
  expect((await writeRecording(rows, `${file}.written`, { tokens })())._tag).toBe('Right')
  const run$ = replay(`${file}.written`, { from: start + from, speed: Infinity }).run$((client) =>
    paper(
      client,
      ({ price$, depth$, history }: StrategyClient, account) =>
        strategy$({ price$, depth$, ...(isWarm ? { history } : {}) }, account, parameter),
      options,
    ),
  )
  return lastValueFrom(run$.pipe(toArray()))
}

/** The second, the side and the USD of each fill. */
const fillsOf = (events: readonly PaperEvent[]) =>
  events.flatMap((event) =>
    event._tag === 'Filled'
      ? [`${(event.at - start) / 1_000} s: ${event.side} ${Math.round(event.valueUsd)} ${event.symbol}`]
      : [],
  )

/** The ratio swings a little for 40 s, then ETH is dear for 6 s. */
const swing = Array.from({ length: 40 }, (_, second) => [2_000 + (second % 4), 60_000] as const)
const dear = Array.from({ length: 6 }, () => [2_100, 60_000] as const)

describe('the pair with a warm start', () => {
  it('trades at the first candle with the history of both tokens, and not without it', async () => {
    const rows = market([...swing, ...dear])
    expect(fillsOf(await eventsOf(rows, { from: 39_000 }))).toEqual([
      '43 s: buy 2000 BTC',
      '43 s: sell 2000 ETH',
    ])
    expect(fillsOf(await eventsOf(rows, { from: 39_000, isWarm: false }))).toEqual([])
  })

  it('reduces the larger leg after a move and after each fill in part, until both are equal', async () => {
    const thin = Array.from({ length: 8 }, () => [2_100, 72_000, 1_000_000n] as const)
    const fills = fillsOf(await eventsOf(market([...swing, ...dear, ...thin])))
    expect(fills).toEqual([
      ...['43 s: buy 2000 BTC', '43 s: sell 2000 ETH'],
      ...['47 s: sell 180 BTC', '48 s: sell 180 BTC'],
    ])
  })

  it('has at most 80 lines, and is in the list of examples', () => {
    expect(readPage('examples/strategies/warm-pairs.ts').trimEnd().split('\n').length).toBeLessThanOrEqual(80)
    expect(readPage('examples/README.md')).toContain('(strategies/warm-pairs.ts)')
  })
})
