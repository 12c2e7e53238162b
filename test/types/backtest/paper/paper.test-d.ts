import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { EMPTY, of, type Observable } from 'rxjs'
import { createClient, defineTokens } from 'svc-streams'
import {
  journalEvents,
  market,
  paper,
  summaryOf,
  target,
  type PaperAccount,
  type PaperEvent,
  type Position,
  type Summary,
} from 'svc-streams/paper'
import { replay, type RecordingError } from 'svc-streams/recording'
import { describe, expectTypeOf, test } from 'vitest'

const tokens = defineTokens({ ETH: { address: '0xab', decimals: 18 } })
const options = { tokens, cash: 100, feeBps: 2, slippageBps: 1, latency: 50 }
const gateway = { baseUrl: 'http://127.0.0.1:1', priceBaseUrl: 'http://127.0.0.1:1', unsigned: true } as const

describe('paper', () => {
  test('gives the strategy the client that it has, and an account', () => {
    const client = createClient({ environment: 'mainnet', ...gateway })
    const run$ = paper(
      client,
      (own, account) => {
        expectTypeOf(own).toEqualTypeOf(client)
        expectTypeOf(account).toEqualTypeOf<PaperAccount>()
        expectTypeOf(account.position('ETH')).toEqualTypeOf<Position>()
        return EMPTY
      },
      options,
    )
    expectTypeOf(run$).toEqualTypeOf<Observable<PaperEvent>>()
    expectTypeOf(
      replay('market.ndjson').run$((own) => paper(own, () => of(target('ETH', { usd: 1 })), options)),
    ).toEqualTypeOf<Observable<PaperEvent>>()
  })

  test('takes no client without depth, and no stream of other values than orders', () => {
    const prices = createClient({ environment: 'testnet', priceBaseUrl: 'https://prices.example' })
    // @ts-expect-error -- a fill needs depth
    void paper(prices, () => EMPTY, options)
    // @ts-expect-error -- a number is no order
    void paper(createClient({ environment: 'mainnet', ...gateway }), () => of(1), options)
  })

  test('an order has a size in units as a bigint, or in USD as a number', () => {
    expectTypeOf(target('ETH', { usd: -1 })).toExtend<{ readonly _tag: 'Target' }>()
    // @ts-expect-error -- units are a bigint
    market('ETH', 'buy', { units: 1 })
    // @ts-expect-error -- a side is 'buy' or 'sell'
    market('ETH', 'hold', { usd: 1 })
  })

  test('the events are a closed union, also those of a journal', () => {
    expectTypeOf<PaperEvent['_tag']>().toEqualTypeOf<
      'Filled' | 'Rejected' | 'Cancelled' | 'Liquidated' | 'Equity' | 'Account' | 'WriteError'
    >()
    expectTypeOf(journalEvents('desk.ndjson')).toEqualTypeOf<
      TaskEither<RecordingError, readonly PaperEvent[]>
    >()
    expectTypeOf(summaryOf([])).toEqualTypeOf<Summary>()
    expectTypeOf<Summary['winRate']>().toEqualTypeOf<number | null>()
  })
})
