import fc from 'fast-check'
import { paper, type PaperEvent } from 'svc-streams/paper'
import { describe, expect, it } from 'vitest'
import { caseCount } from '../../support/run/long.js'
import { Model, type Input } from './support/model.js'
import { givenMarket, options, steps, timed, tokens, type Options } from './support/random-inputs.js'

// The account against the model, over random orders and a market with faults.

/** The events of the account, by input. */
const eventsOf = (inputs: readonly Input[], of: Options): readonly (readonly PaperEvent[])[] => {
  const { client, order$, give } = givenMarket()
  let events: PaperEvent[] = []
  const run = paper(client, () => order$, { tokens, ...of }).subscribe((event) => events.push(event))
  const all = inputs.map((input) => {
    events = []
    give(input)
    return events
  })
  run.unsubscribe()
  return all
}

describe('the account', () => {
  it('has the events of a model that derives everything from all inputs', () => {
    fc.assert(
      fc.property(steps, options, (all, of) => {
        const inputs = timed(all)
        const model = new Model(tokens, of)
        expect(eventsOf(inputs, of)).toEqual(inputs.map((input) => model.eventsOf(input)))
      }),
      { numRuns: caseCount(2_200) },
    )
  }, 300_000)

  it('is tested with each event, each side, partial fills and each reason', () => {
    const events = fc
      .sample(fc.tuple(steps, options), 500)
      .flatMap(([all, of]) => eventsOf(timed(all), of).flat())
    const fills = events.flatMap((event) => (event._tag === 'Filled' ? [event] : []))
    expect(new Set(fills.map((fill) => `${fill.side} ${fill.symbol}`)).size).toBe(4)
    expect(new Set(fills.map((fill) => fill.order._tag)).size).toBe(6)
    expect(events.some(({ _tag }) => _tag === 'Liquidated')).toBe(true)
    const rested = fills.filter(({ order, price }) => order._tag === 'Limit' && order.price === price)
    expect(rested.length).toBeGreaterThan(10)
    expect(fills.some(({ remaining }) => remaining > 0n)).toBe(true)
    const reasons = events.flatMap((event) => (event._tag === 'Rejected' ? [event.reason] : []))
    for (const reason of [
      'Stale: ',
      'HttpError: ',
      'older than the price',
      'no depth yet',
      'less than one base-token unit',
      'no position of',
      'the depth has no quantity',
      'exceed the equity times maxLeverage',
      'the account is liquidated',
      'of an open order',
      'is open',
    ])
      expect(reasons.join(' | ')).toContain(reason)
  })
})
