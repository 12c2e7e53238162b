import fc from 'fast-check'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { NEVER, take } from 'rxjs'
import {
  cancel,
  journalEvents,
  market,
  paper,
  type OpenOrder,
  type Order,
  type PaperAccount,
  type PaperEvent,
  type Position,
} from 'svc-streams/paper'
import { depth, price } from 'svc-streams/testing'
import { startLine } from '../../../src/backtest/account/journal/journal.js'
import { withTerms } from '../../../src/backtest/account/terms.js'
import { lockPathOf } from '../../../src/backtest/recording/files/line-file.js'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../support/run/long.js'
import type { Input } from './support/model.js'
import { givenMarket, options, steps, timed, tokens, type Options } from './support/random-inputs.js'

const folder = mkdtempSync(join(tmpdir(), 'paper-journal-'))
let journals = 0
const newJournal = (): string => join(folder, `${++journals}.ndjson`)

/** What a strategy sees of its account. */
interface Seen {
  readonly open: readonly OpenOrder[]
  readonly positions: readonly Position[]
}

const startRun = (journal: string, of: Options & { readonly warmUp?: number }) => {
  const { client, order$, give } = givenMarket()
  const events: PaperEvent[] = []
  let account: PaperAccount | undefined
  let open: readonly OpenOrder[] = []
  const run = paper(
    client,
    (_, given) => {
      account = given
      given.open$.subscribe((orders) => (open = orders))
      return order$
    },
    { tokens, ...of, journal },
  ).subscribe((event) => events.push(event))
  const seen = (): Seen => ({ open, positions: ['A', 'B'].map((symbol) => account!.position(symbol)) })
  return { client, events, give, seen, stop: () => run.unsubscribe() }
}

const endOf = async ({ client, events }: ReturnType<typeof startRun>) => {
  await client.close()
  return events.findLast((event) => event._tag === 'Account')
}

const jsonOf = (event: PaperEvent): string =>
  JSON.stringify(event, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

/** Without the first line of each run. */
const linesOf = (journal: string): readonly string[] =>
  readFileSync(journal, 'utf8')
    .split('\n')
    .slice(0, -1)
    .filter((line) => !line.startsWith('{"_tag":"Start"'))

describe('a journal', () => {
  it('has each event as a line of JSON before it is emitted, and gives the events back', async () => {
    await fc.assert(
      fc.asyncProperty(steps, options, async (all, of) => {
        const journal = newJournal()
        const { events, give, stop } = startRun(journal, of)
        for (const input of timed(all)) {
          give(input)
          const written = linesOf(journal).filter((line) => !line.startsWith('{"_tag":"State"'))
          expect(written).toEqual(events.map(jsonOf))
        }
        expect(await journalEvents(journal)()).toEqual(right(events))
        stop()
      }),
      { numRuns: caseCount(200) },
    )
  }, 300_000)

  it('continues with the state of the last whole write, wherever the file is torn', () => {
    fc.assert(
      fc.property(steps, options, fc.double({ min: 0, max: 1, noNaN: true }), (all, of, where) => {
        const journal = newJournal()
        const first = startRun(journal, of)
        const written = [{ size: 0, ...first.seen() }]
        for (const input of timed(all)) {
          first.give(input)
          const { size } = statSync(journal)
          if (size !== written.at(-1)!.size) written.push({ size, ...first.seen() })
        }
        first.stop()
        const torn = Math.floor(where * written.at(-1)!.size)
        truncateSync(journal, torn)
        const { size, ...state } = written.findLast((each) => each.size <= torn)!
        const second = startRun(journal, of)
        expect(second.seen()).toEqual(state)
        expect(statSync(journal).size).toBeGreaterThanOrEqual(size)
        // What changes the account without its state was not emitted.
        const lines = linesOf(journal)
        const rest = lines.slice(lines.findLastIndex((line) => line.startsWith('{"_tag":"State"')) + 1)
        expect(rest.filter((line) => !line.startsWith('{"_tag":"Equity"'))).toEqual([])
        second.stop()
      }),
      { numRuns: caseCount(1_500) },
    )
  }, 300_000)

  it('gives the account that one run without a stop has', async () => {
    await fc.assert(
      fc.asyncProperty(steps, steps, options, async (before, after, of) => {
        // An order of the second run is decided with the prices that it has received itself.
        const inputs = timed([...before, ...after])
        const [whole, parts] = [newJournal(), newJournal()]
        const isData = ({ _tag }: Input): boolean => _tag !== 'Order'
        const first = inputs.slice(0, before.length)
        const rest = [...lastData(first), ...inputs.slice(before.length).filter(isData)]
        const one = startRun(whole, of)
        for (const input of [...first, ...rest]) one.give(input)
        const part = startRun(parts, of)
        for (const input of first) part.give(input)
        part.stop()
        const other = startRun(parts, of)
        for (const input of rest) other.give(input)
        expect({ ...(await endOf(other)), at: 0 }).toEqual({ ...(await endOf(one)), at: 0 })
      }),
      { numRuns: caseCount(800) },
    )
  }, 300_000)
})

/** The last price and the last depth of each token, sent again: other objects, because a price that liquidates fills nothing itself. */
const lastData = (inputs: readonly Input[]): readonly Input[] =>
  (['Price', 'Depth'] as const).flatMap((tag) =>
    ['A', 'B'].flatMap((symbol) => {
      const last = inputs.findLast((each) => each._tag === tag && each.symbol === symbol)
      return last === undefined ? [] : structuredClone(last)
    }),
  )

/** Holds one A at a price of 2, and then is stopped. */
const heldJournal = (): { readonly of: Options; readonly journal: string } => {
  const of: Options = {
    ...{
      allowShort: false,
      maxLeverage: 1,
      latency: 0,
      feeBps: 0,
      slippageBps: 0,
      depthShareBps: 10_000,
      maxDepthAge: 5_000,
    },
    ...{ sampleMs: 1_000, cash: 1_000, depthInterval: 500 },
  }
  const journal = newJournal()
  const { give, stop } = startRun(journal, of)
  const side = { totalQuantity: 10n ** 20n, totalQuantityUsd: 1 }
  const book = depth(tokens.A.address, { buy: side, sell: side, timestamp: 1, receivedAt: 5_000 })
  give({ _tag: 'Depth', symbol: 'A', event: right(book) })
  give(priceAt(5_000, 2))
  give({ _tag: 'Order', order: market('A', 'buy', { units: 10n ** 18n }), decidedAt: 5_000 })
  stop()
  return { of, journal }
}

const noSide = { totalQuantity: 0n, totalQuantityUsd: 0 }

const priceAt = (receivedAt: number, usd: number): Input => ({
  _tag: 'Price',
  symbol: 'A',
  event: right(price(tokens.A.topic, usd, { receivedAt })),
})

it('removes an event of a first write that is torn: it was not emitted', () => {
  const { of } = heldJournal()
  const journal = newJournal()
  const first = startRun(journal, of)
  first.give({ _tag: 'Order', order: cancel('1'), decidedAt: 5_000 })
  first.stop()
  truncateSync(journal, readFileSync(journal, 'utf8').indexOf('{"_tag":"State"'))
  expect(linesOf(journal)).toHaveLength(1)
  startRun(journal, of).stop()
  expect(linesOf(journal)).toEqual([])
})

/** Writes the mark of the last state as another text. */
const writeLastMark = (journal: string, text: string): void => {
  const written = readFileSync(journal, 'utf8')
  const at = written.lastIndexOf('{"_tag":"State"')
  writeFileSync(journal, `${written.slice(0, at)}${text}${written.slice(at + '{"_tag":"State"'.length)}`)
}

it('continues with a last state that another program has written with spaces', () => {
  const { of, journal } = heldJournal()
  const { cash } = JSON.parse(linesOf(journal).at(-1)!) as { readonly cash: number }
  expect(cash).toBe(998)
  writeLastMark(journal, '{ "_tag": "State"')
  const lines = linesOf(journal)
  const { events, stop } = startRun(journal, of)
  stop()
  expect(linesOf(journal).slice(0, lines.length)).toEqual(lines)
  expect(events).toMatchObject([{ _tag: 'Equity', equityUsd: 1_000 }])
})

it('refuses a journal whose last state is damaged, instead of an earlier state', () => {
  const { of, journal } = heldJournal()
  writeLastMark(journal, '{"_tag":"Stale"')
  const damaged = readFileSync(journal, 'utf8')
  const { events, stop } = startRun(journal, of)
  stop()
  const message = expect.stringContaining(`${journal}: line ${damaged.split('\n').length - 1}: `) as string
  expect(events).toEqual([expect.objectContaining({ _tag: 'WriteError', message })])
  expect(readFileSync(journal, 'utf8')).toBe(damaged)
})

it('has nothing of the warm-up of a new account', async () => {
  const { of } = heldJournal()
  const journal = newJournal()
  const { events, give, stop } = startRun(journal, { ...of, warmUp: 10_000 })
  give(priceAt(5_000, 2))
  give(priceAt(14_000, 2))
  expect(readFileSync(journal, 'utf8')).toBe('')
  give(priceAt(15_000, 3))
  stop()
  expect(events).toMatchObject([{ _tag: 'Equity', at: 15_000, prices: { A: 3 } }])
  expect(await journalEvents(journal)()).toEqual(right(events))
})

it('values a position as not current from the end of the journal to the next price', () => {
  const { of, journal } = heldJournal()
  const { events, give, stop } = startRun(journal, of)
  give(priceAt(60_000, 3))
  stop()
  expect(events).toEqual([
    { _tag: 'Equity', at: 5_000, equityUsd: 1_000, isCurrent: false, prices: { A: 2 } },
    { _tag: 'Equity', at: 60_000, equityUsd: 1_001, isCurrent: true, prices: { A: 3 } },
  ])
})

it('values a position at its last price at the end of the warm-up of an account that continues', () => {
  const { of, journal } = heldJournal()
  const { events, give, stop } = startRun(journal, { ...of, warmUp: 10_000 })
  const book = depth(tokens.B.address, {
    ...{ buy: noSide, sell: noSide, timestamp: 70_000, receivedAt: 70_000 },
  })
  give(priceAt(60_000, 3))
  give({ _tag: 'Depth', symbol: 'B', event: right(book) })
  stop()
  expect(events.slice(1)).toEqual([
    { _tag: 'Equity', at: 60_000, equityUsd: 1_001, isCurrent: true, prices: { A: 3 } },
    { _tag: 'Equity', at: 70_000, equityUsd: 1_001, isCurrent: true, prices: { A: 3 } },
  ])
})

it('leaves out of the events of a journal what was not emitted, and names a line that is none', async () => {
  const { journal } = heldJournal()
  const whole = await journalEvents(journal)()
  const filled = linesOf(journal).find((line) => line.includes('Filled'))!
  appendFileSync(journal, `${filled}\n${filled.slice(0, 20)}`)
  expect(await journalEvents(journal)()).toEqual(whole)
  writeFileSync(journal, `${filled}\nno event\n`)
  const error = (line: number, text: string): unknown =>
    left(
      expect.objectContaining({
        _tag: 'RecordingError',
        line,
        message: expect.stringContaining(text) as unknown,
      }),
    )
  expect(await journalEvents(journal)()).toEqual(error(2, `line 2 of ${journal}: expected`))
  expect(await journalEvents(join(folder, 'none.ndjson'))()).toEqual(error(1, 'does not exist'))
})

const savedOrder = {
  ...{ id: '1', order: market('A', 'buy', { usd: 5 }), decidedAt: 1 },
  isResting: false,
}

/** The JSON of a state, as a run writes it. */
const savedState = {
  ...{ _tag: 'State', version: 1, at: 1, cash: 1_000, fees: 0, isLiquidated: false, numbered: 1 },
  ...{ prices: {}, holdings: [], orders: [] as unknown[] },
}

const withOrder = (change: object): object => ({ orders: [{ ...savedOrder, ...change }] })

it('a sweep and the replays of commands write no journal', () => {
  const journal = newJournal()
  const { client, order$ } = givenMarket()
  const of: Options = fc.sample(options, 1)[0]!
  const run = paper(withTerms(client, {}), () => order$, { tokens, ...of, journal }).subscribe()
  expect(existsSync(journal)).toBe(false)
  run.unsubscribe()
})

describe('a run whose journal cannot be used', () => {
  const of: Options = fc.sample(options, 1)[0]!

  const errorOf = (journal: string): string => {
    const { events, stop } = startRun(journal, of)
    stop()
    const [event] = events
    return event?._tag === 'WriteError' ? event.message : 'no error'
  }

  it('ends with a WriteError while another run uses the journal, and starts after it', () => {
    const journal = newJournal()
    const { stop } = startRun(journal, of)
    expect(errorOf(journal)).toContain(`${journal}: in use by process ${process.pid}`)
    stop()
    expect(existsSync(lockPathOf(journal))).toBe(false)
    expect(errorOf(journal)).toBe('no error')
  })

  it('ends with a WriteError while another process uses it, and takes over from one that has ended', () => {
    const journal = newJournal()
    const start = readFileSync(`/proc/${process.ppid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19]!
    writeFileSync(journal, '')
    const lock = lockPathOf(journal)
    writeFileSync(lock, `${process.ppid} ${start}\n`)
    expect(errorOf(journal)).toContain(`in use by process ${process.ppid}`)
    // Another process of that id.
    writeFileSync(lock, `${process.ppid} 1\n`)
    expect(errorOf(journal)).toBe('no error')
    writeFileSync(lock, `${2 ** 22 + 1} 1\n`)
    expect(errorOf(journal)).toBe('no error')
  })

  it('ends with a WriteError that names a file that is no journal, and leaves the file as it is', () => {
    const recording = '{"_tag":"Recording","version":1}\n'
    for (const text of [
      'a letter\nof two lines\n',
      'a letter without an end',
      recording,
      '{\n  "cash": 1\n}',
      '\nnotes',
    ]) {
      const journal = newJournal()
      writeFileSync(journal, text)
      const [first = ''] = text.split('\n')
      expect(errorOf(journal)).toContain(`expected a line of a journal, got ${JSON.stringify(first)}`)
      expect(readFileSync(journal, 'utf8')).toBe(text)
    }
    expect(errorOf(join(folder, 'missing', 'journal.ndjson'))).toContain('ENOENT')
  })

  it('ends with a WriteError for a position in a token that the account has not', () => {
    const journal = newJournal()
    const holding = { symbol: 'C', quantity: '1', averagePrice: 1, taken: [] }
    writeFileSync(journal, `${startLine(1)}${JSON.stringify({ ...savedState, holdings: [holding] })}\n`)
    expect(errorOf(journal)).toContain('the journal has C, which is not a token of the account')
  })

  it.each([
    [
      'an order of an unknown type',
      withOrder({ order: { ...savedOrder.order, _tag: 'Iceberg' } }),
      'orders.0.order: ',
    ],
    [
      'a missing size',
      withOrder({ order: { ...savedOrder.order, size: undefined } }),
      'orders.0.order: expected an order that trades, got',
    ],
    [
      'a negative size',
      withOrder({ order: { ...savedOrder.order, size: { units: '-5' } } }),
      'orders.0.order: expected an order that trades, got',
    ],
    ['a quantity as a number', withOrder({ remaining: 5 }), 'orders.0.remaining: '],
    ['an amount as text', { cash: '0x' }, 'cash: expected a finite number, got "0x"'],
    ['a price of 0', { prices: { A: 0 } }, 'prices.A: '],
    [
      'a position without a quantity',
      { holdings: [{ symbol: 'A', averagePrice: 1, taken: [] }] },
      'holdings.0.quantity: ',
    ],
    ['a number instead of a list', { holdings: 5 }, 'holdings: '],
    [
      'a newer version',
      { version: 2, cash: undefined },
      'version: expected at most 1, because a newer version',
    ],
  ])('ends with a WriteError that names the line of a state with %s', async (_, change, message) => {
    const journal = newJournal()
    const start = { _tag: 'Start', at: 1 }
    const lines = [start, start, { ...savedState, ...change }, start].map(
      (each) => `${JSON.stringify(each)}\n`,
    )
    writeFileSync(journal, lines.join(''))
    expect(errorOf(journal)).toContain(`${journal}: line 3: ${message}`)
    expect(readFileSync(journal, 'utf8')).toBe(lines.join(''))
    const events = await journalEvents(journal)()
    expect(events).toMatchObject({ left: { _tag: 'RecordingError', line: 3 } })
    expect(isLeft(events) && events.left.message).toContain(`line 3 of ${journal}: ${message}`)
  })
})

it('keeps the rejection of an order that JSON cannot have, and continues', async () => {
  const { of } = heldJournal()
  const journal = newJournal()
  const { events, give, stop } = startRun(journal, of)
  const endless: Record<string, unknown> = { _tag: 'Market', symbol: 'A' }
  endless['itself'] = endless
  give(priceAt(5_000, 2))
  give({ _tag: 'Order', order: endless as unknown as Order, decidedAt: 5_000 })
  give(priceAt(7_000, 3))
  stop()
  expect(events.map(({ _tag }) => _tag)).toEqual(['Equity', 'Rejected', 'Equity'])
  const written = await journalEvents(journal)()
  expect(written).toEqual(right(events.map((each) => ('order' in each ? { ...each, order: null } : each))))
})

it('releases the journal when its subscriber leaves inside a handler, and when the strategy throws', () => {
  const of: Options = { ...fc.sample(options, 1)[0]!, latency: 0 }
  const journal = newJournal()
  const { client, give } = givenMarket()
  const seen: string[] = []
  const run = paper(client, () => NEVER, { tokens, ...of, journal }).pipe(take(1))
  run.subscribe(({ _tag }) => seen.push(_tag))
  give({ _tag: 'Price', symbol: 'A', event: right(price(tokens.A.topic, 1, { receivedAt: 5 })) })
  expect(seen).toEqual(['Equity'])
  expect(linesOf(journal).map((line) => line.slice(0, 16))).toEqual(['{"_tag":"Equity"', '{"_tag":"State",'])
  const failing = () => {
    throw new Error('no strategy')
  }
  paper(client, failing, { tokens, ...of, journal }).subscribe({
    error: (thrown: Error) => seen.push(thrown.message),
  })
  expect(seen).toEqual(['Equity', 'no strategy'])
  expect(existsSync(lockPathOf(journal))).toBe(false)
})
