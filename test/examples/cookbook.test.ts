import { readdirSync } from 'node:fs'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { lastValueFrom, map, toArray } from 'rxjs'
import type { PastEvent } from 'svc-streams/history'
import { paper, summaryOf, type PaperEvent, type PaperOptions, type PaperStrategy } from 'svc-streams/paper'
import { replay, writeRecording, type OwnRow, type StrategyClient } from 'svc-streams/recording'
import { createTestClient, stale } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { bar$ } from '../../examples/cookbook/indicators.js'
import * as pairs from '../../examples/cookbook/pairs.js'
import { portfolio$ } from '../../examples/cookbook/portfolio.js'
import { resumed$ } from '../../examples/cookbook/resume.js'
import * as sizeByDepth from '../../examples/cookbook/size-by-depth.js'
import * as stops from '../../examples/cookbook/stops.js'
import * as twap from '../../examples/cookbook/twap.js'
import reversion, { options } from '../../examples/cookbook/reversion.js'
import { spread$, type Quote } from '../../examples/cookbook/venue-spread.js'
import { chunksOf } from '../backtest/recording/support/recordings.js'
import { runInProcess } from '../cli/support/in-process.js'
import { newFile } from '../cli/support/new-file.js'
import { readPage, root } from '../docs/support/block.js'
import { manualMarket } from '../support/manual-market.js'
import { newFolder } from '../support/new-folder.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { a, b, marbles, priceAt } from '../support/time/marbles.js'
import { btcTopic, ethTopic, wbtc, weth } from '../support/tokens.js'

const page = 'docs/build/cookbook.md'
const [tokensJson = '', parametersJson = ''] = [...readPage(page).matchAll(/```json\n([^]*?)```/g)].map(
  ([, text]) => text,
)

it.each(readdirSync(`${root}examples/cookbook`))(
  'the page of recipes shows %s, which has at most 40 lines',
  (file) => {
    const code = readPage(`examples/cookbook/${file}`)
    expect(readPage(page)).toContain(`(../../examples/cookbook/${file})\n\n\`\`\`ts\n${code}\`\`\`\n`)
    expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
  },
)

/** The start of a minute. */
const start = 1_723_161_600_000

interface Recipe {
  readonly default: PaperStrategy<StrategyClient>
  readonly options: PaperOptions
}

/** A price of ETH each second, with a depth, and one of BTC. Undefined: none in that second. */
const market = (eth: readonly (number | undefined)[], units = 40, btc = 60_000): readonly OwnRow[] =>
  eth.flatMap((price, second): readonly OwnRow[] => {
    if (price === undefined) return []
    const at = start + second * 1_000
    const side = BigInt(units * 1_000) * 10n ** 15n
    return [
      { at, mint: weth, price, buy: side, sell: side },
      { at, mint: wbtc, price: btc, buy: 10n ** 10n, sell: 10n ** 10n },
      { at, topic: btcTopic, price: btc },
      { at, topic: ethTopic, price },
    ]
  })

/** What an account does with the orders of a strategy over a market, in the words of `textOf`. */
const tradesOf = async ({ default: strategy$, options }: Recipe, rows: readonly OwnRow[]) => {
  const lines: string[] = []
  const write = (line: string, done: () => void): void => {
    lines.push(line)
    done()
  }
  const tokens = pairs.options.tokens
  expect((await writeRecording(rows, { write }, { tokens })())._tag).toBe('Right')
  const run$ = replay(chunksOf(...lines), { speed: Infinity }).run$((client) =>
    paper(client, strategy$, options),
  )
  return (await lastValueFrom(run$.pipe(toArray()))).flatMap(textOf)
}

/** The second, the order, the side and the quantity in thousandths of a token. */
const textOf = (event: PaperEvent): readonly string[] => {
  if (event._tag === 'Filled') {
    const { at, id, symbol, side, quantity } = event
    const milli = quantity / 10n ** (symbol === 'ETH' ? 15n : 5n)
    return [`${(at - start) / 1_000} s: ${id}: ${side} ${milli} ${symbol}`]
  }
  return event._tag === 'Rejected' || event._tag === 'Cancelled' ? [`${event._tag} ${event.id}`] : []
}

describe('stops', () => {
  it('sells at the trailing stop after a rise, and cancels the other stop', async () => {
    // 3 % below 2200 is 2134.
    const prices = [2000, 2000, 2100, 2200, 2140, 2134, 2000]
    expect(await tradesOf(stops, market(prices))).toEqual([
      '1 s: entry: buy 999 ETH',
      '6 s: trail: sell 999 ETH',
      'Cancelled stop',
    ])
  })

  it('sells at the fixed stop without a rise, and cancels the other stop', async () => {
    expect(await tradesOf(stops, market([2000, 2000, 1981, 1979, 1900]))).toEqual([
      '1 s: entry: buy 999 ETH',
      '4 s: stop: sell 999 ETH',
      'Cancelled trail',
    ])
  })
})

describe('pairs', () => {
  it('opens both legs when the ratio is far from its mean, and closes both near the mean', async () => {
    const quiet = Array.from({ length: 45 }, (_, second) => 2000 + (second % 2))
    const trades = await tradesOf(pairs, market([...quiet, 2100, 2100, 2100, 2000, 2002, 2002]))
    expect(trades).toEqual([
      '46 s: 1: buy 33 BTC',
      '47 s: 2: sell 952 ETH',
      '49 s: 3: sell 33 BTC',
      '50 s: 4: buy 952 ETH',
    ])
  })
})

describe('size by depth', () => {
  it('buys a tenth of each depth until the position is as wanted', async () => {
    const rows = market([2000, 2000, 2000, 2000, 2000, 2000, 2000], 20)
    expect(await tradesOf(sizeByDepth, rows)).toEqual([
      '1 s: 1: buy 2000 ETH',
      '3 s: 2: buy 2000 ETH',
      '5 s: 3: buy 1000 ETH',
    ])
  })
})

describe('twap', () => {
  const plan = { total: 10n ** 18n, slices: 4, ms: 2_000 }
  const strategy: Recipe = { ...twap, default: (client, account) => twap.default(client, account, plan) }

  it('buys equal slices at equal distances', async () => {
    const prices = Array.from({ length: 12 }, () => 2000)
    expect(await tradesOf(strategy, market(prices))).toEqual(
      // An order is decided at a multiple of 2 s, after its prices: those of the next second fill it.
      [3, 5, 7, 9].map((second, index) => `${second} s: ${index + 1}: buy 250 ETH`),
    )
  })

  it('buys with the next slice what the depth did not have', async () => {
    const thin = market([2000, 2000, 2000, 2000], 0.4)
    const deep = market([
      ...Array.from({ length: 4 }, () => undefined),
      ...Array.from({ length: 8 }, () => 2000),
    ])
    expect(await tradesOf(strategy, [...thin, ...deep])).toEqual([
      '3 s: 1: buy 100 ETH',
      'Cancelled 1',
      '5 s: 2: buy 400 ETH',
      '7 s: 3: buy 250 ETH',
      '9 s: 4: buy 250 ETH',
    ])
  })
})

describe('portfolio', () => {
  it('emits the value each second, and the token without a current price', () => {
    marbles(({ hot, expectObservable }) => {
      const S = left(stale(a, 1, undefined))
      const values = { a: priceAt(0, a, 10), b: priceAt(500, b, 100), c: priceAt(1_500, a, 11), S }
      const priceA$ = hot('a 1499ms c 1999ms S', values)
      const priceB$ = hot('500ms b', values)
      const subscribed = ' 4500ms !'
      const expected = '   1s x 999ms y 999ms y 999ms A'
      const client = createTestClient({ prices: { [a]: priceA$, [b]: priceB$ } })
      const holdings = { A: { topic: a, quantity: 2 }, B: { topic: b, quantity: 0.5 } }
      const value$ = portfolio$(client, holdings).pipe(
        map((event) => (event._tag === 'Right' ? event.right.value : event.left.leg)),
      )
      expectObservable(value$, subscribed).toBe(expected, { x: 70, y: 72, A: 'A' })
    })
  })
})

describe('venue spread', () => {
  it('compares both venues while both are current, and subscribes to the other one again', () => {
    marbles(({ cold, hot, expectObservable }) => {
      const quotes = { a: { bid: 100, ask: 100 }, b: { bid: 101, ask: 101 } }
      const quote$ = cold<Quote>('a------#', quotes)
      const price$ = hot('        p', { p: priceAt(0, a, 101) })
      const subscribed = '        1015ms !'
      const expected = '          (mna)--L 999ms a------L'
      const text$ = spread$(price$, quote$).pipe(
        map((event) =>
          event._tag === 'Right' ? Math.round(event.right) : `${event.left.leg} ${event.left.why}`,
        ),
      )
      expectObservable(text$, subscribed).toBe(expected, {
        ...{ m: 'here missing', n: 'there missing', a: 100, L: 'there left' },
      })
    })
  })

  it('has no spread when the other venue is silent for 2 s', () => {
    marbles(({ hot, expectObservable }) => {
      const quote$ = hot<Quote>('q', { q: { bid: 100, ask: 100 } })
      const price$ = hot('       -p', { p: priceAt(1, a, 101) })
      const subscribed = '       5s !'
      const expected = '         ms 1999ms o'
      const why$ = spread$(price$, quote$).pipe(
        map((event) => (event._tag === 'Right' ? 'spread' : event.left.why)),
      )
      expectObservable(why$, subscribed).toBe(expected, { m: 'missing', s: 'spread', o: 'age' })
    })
  })
})

describe('indicators', () => {
  it('are known at the first live bar, and not emitted for past bars', () => {
    marbles(({ cold, hot, expectObservable }) => {
      const past = (at: number): Either<never, PastEvent> =>
        right({ _tag: 'PastPrice', topic: a, price: 300 + at / 10, at })
      const letters = Array.from({ length: 16 }, (_, n) => String.fromCharCode(97 + n))
      const values = Object.fromEntries(letters.map((letter, n) => [letter, past(-160 + n * 10)]))
      const prices$ = () => cold(`(${letters.join('')}|)`, values)
      // A live price in each of two bars, higher by 1 than the one before.
      const live = { p: priceAt(20, a, 300), q: priceAt(32, a, 301) }
      const live$ = hot(' 20ms p 11ms q', live)
      const subscribed = '45ms !'
      const expected = '  30ms x 9ms y'
      const client = createTestClient({ prices: { [a]: live$ } })
      const rsi$ = bar$(client, { prices$ }, a, 10).pipe(
        map((event) =>
          event._tag === 'Right' ? [event.right.to, event.right.close, event.right.rsi] : event.left._tag,
        ),
      )
      expectObservable(rsi$, subscribed).toBe(expected, { x: [30, 300, 100], y: [40, 301, 100] })
    })
  })
})

describe('a CSV', () => {
  it('is imported, and gives the figures of a parameter', async () => {
    const market = newFile('market.ndjson')
    const tokens = newFile('tokens.json', tokensJson)
    const csv = `${root}examples/data/top-of-book.csv`
    const { code } = await runInProcess(['import', csv, '--tokens', tokens, '--out', market])
    expect(code).toBe(0)
    const parameters = JSON.parse(parametersJson) as readonly Parameters<typeof reversion>[2][]
    const runs = parameters.map((parameter) =>
      lastValueFrom(
        replay(market, { speed: Infinity }).run$((client) => {
          const run$ = paper(client, (own, account) => reversion(own, account, parameter), options)
          return run$.pipe(toArray())
        }),
      ),
    )
    expect((await Promise.all(runs)).map((events) => summaryOf(events).roundTrips)).toEqual([10, 8, 5, 4])
  })
})

describe('resume', () => {
  it('continues the account of a run that has ended, with its stops', async () => {
    const quotes = manualMarket()
    const simulator = await startTestSimulator({ market: quotes })
    // The first request opens the market, whose first depth has no room for the order.
    await createClientFor(simulator).depth(weth)()
    const folder = newFolder()
    const run = (price: number) => {
      const quote = (): void =>
        quotes.update({ price: price + (count++ % 2), buy: 10n ** 20n, sell: 10n ** 20n })
      let count = 0
      quote()
      const client = createClientFor(simulator)
      const seen: string[] = []
      resumed$(client, folder).subscribe((event) => {
        if (event._tag === 'Filled' || event._tag === 'Cancelled') seen.push(`${event._tag} ${event.id}`)
        if (event._tag === 'CaughtUp') seen.push(event._tag)
      })
      const until = (last: string): Promise<unknown> =>
        eventually(() => {
          // An order needs a new price, and the service sends changes.
          quote()
          expect(seen).toContain(last)
        })
      return { client, seen, until }
    }
    const first = run(2500)
    await first.until('Filled entry')
    await first.client.close()

    const second = run(2450) // 2 % below what was paid
    await second.until('Cancelled trail')
    expect(first.seen).toEqual(['CaughtUp', 'Filled entry'])
    expect(second.seen).toEqual(['Filled entry', 'CaughtUp', 'Filled stop', 'Cancelled trail'])
  })
})
