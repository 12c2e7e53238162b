import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { assertNever } from '../../../src/base/domain/assert-never.js'
import { createManualClient, ManualTransport } from '../../support/manual-transport.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { bases, clientOptions, Model, type Behaviour } from './model.js'
import { caseCount } from '../../support/run/long.js'

type Command =
  | {
      readonly do: 'subscribe'
      readonly topic: number
      readonly upper: boolean
      readonly behaviour: Behaviour
    }
  | { readonly do: 'unsubscribe'; readonly index: number }
  | { readonly do: 'open' }
  | { readonly do: 'confirm'; readonly style: 'all' | 'new' | 'none' }
  | { readonly do: 'error text'; readonly named: boolean; readonly index: number }
  | { readonly do: 'price'; readonly topic: number; readonly price: number }
  | { readonly do: 'drop'; readonly code: number }
  | { readonly do: 'ignore pings'; readonly ignoresPings: boolean }
  | { readonly do: 'stop reading' }
  | { readonly do: 'drain'; readonly bytes: number }

/** The commands of one tick. */
interface Tick {
  /** The delay since the previous tick, in ms. */
  readonly after: number
  readonly commands: readonly Command[]
}

interface Scenario {
  readonly ticks: readonly Tick[]
  readonly linger: number
  readonly maxFramesPerSecond: number | undefined
  readonly reportsClose: boolean
  /** True if the scenario ends with `close()`; otherwise all subscribers unsubscribe. */
  readonly closes: boolean
}

const topic = fc.nat(bases.length - 1)
const behaviour = fc.constantFrom<Behaviour[]>(
  'stays subscribed',
  'stays subscribed',
  'stays subscribed',
  'unsubscribes on the first event',
  'throws',
)

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('subscribe' as const), topic, upper: fc.boolean(), behaviour }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('unsubscribe' as const), index: fc.nat(9) }) },
  { weight: 5, arbitrary: fc.constant({ do: 'open' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('confirm' as const),
      style: fc.constantFrom('all' as const, 'new' as const, 'none' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('error text' as const), named: fc.boolean(), index: fc.nat(3) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('price' as const),
      topic,
      price: fc.integer({ min: 1, max: 99 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('drop' as const), code: fc.constantFrom(1000, 1006, 1012, 4000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('ignore pings' as const), ignoresPings: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'stop reading' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('drain' as const),
      bytes: fc.constantFrom(1, 25_000, Infinity),
    }),
  },
)

const scenario: fc.Arbitrary<Scenario> = fc.record({
  ticks: fc.array(
    fc.record({
      after: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) },
        { weight: 2, arbitrary: fc.integer({ min: 6, max: 100 }) },
        { weight: 1, arbitrary: fc.integer({ min: 100, max: 800 }) },
      ),
      commands: fc.array(command, { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 40, size: 'max' },
  ),
  linger: fc.constantFrom(0, 30, 300),
  maxFramesPerSecond: fc.constantFrom(undefined, undefined, 2, 5),
  reportsClose: fc.boolean(),
  closes: fc.boolean(),
})

/** Longer than all delays, retries and deadlines together, in ms. */
const settleMs = 5000

interface Outcome {
  readonly model: Model
  readonly transport: ManualTransport
  /** The number of timers after the last event. */
  readonly pendingTimers: number
}

const run = ({ ticks, linger, maxFramesPerSecond, reportsClose, closes }: Scenario): Outcome => {
  const created: { readonly model: Model; readonly transport: ManualTransport }[] = []
  const pendingTimers = runInVirtualTime(
    ({ now, at, after, pendingTimers }) => {
      const model = new Model(now, after, linger, maxFramesPerSecond ?? Infinity)
      const transport = new ManualTransport({ ...model.transportOptions, reportsClose })
      created.push({ model, transport })
      const { client } = createManualClient(
        { ...clientOptions, linger, ...(maxFramesPerSecond === undefined ? {} : { maxFramesPerSecond }) },
        transport,
      )
      model.countUncorrelatedErrors(client)

      const perform = (command: Command): void => {
        switch (command.do) {
          case 'subscribe':
            return model.subscribe(client, bases[command.topic]!, command.upper, command.behaviour)
          case 'unsubscribe': {
            const active = model.subscribers.filter((subscriber) => subscriber.active)
            const subscriber = active[command.index % Math.max(1, active.length)]
            return subscriber === undefined ? undefined : model.unsubscribe(subscriber)
          }
          case 'open':
            return model.openSockets(transport)
          case 'confirm':
            return model.answerSubscribe(command.style)
          case 'error text':
            return model.sendErrorText(command.named, command.index)
          case 'price':
            return model.sendPrice(bases[command.topic]!, command.price)
          case 'drop':
            return model.dropConnection(transport, command.code)
          case 'ignore pings':
            return model.ignorePings(command.ignoresPings)
          case 'stop reading':
            return model.stopReading()
          case 'drain':
            return model.drain(command.bytes)
          default:
            return assertNever(command)
        }
      }

      // The fraction keeps ticks and the deadlines that they cause at different times: their order is undefined.
      let time = 0
      for (const [index, tick] of ticks.entries()) {
        time += tick.after
        at(time + index / 1024, () => {
          model.checkDueEvents()
          tick.commands.forEach(perform)
          model.endTick()
        })
      }
      at(time + 1 + 50 / 1024, () => {
        model.checkDueEvents()
        model.makeServiceReliable(transport)
      })
      at(time + settleMs, () => {
        model.checkDueEvents()
        model.checkFinalState(transport)
        if (closes) model.close(client)
        else model.subscribers.filter(({ active }) => active).forEach((one) => model.unsubscribe(one))
      })
      at(time + settleMs + model.cleanupMs, () => {
        if (transport.activeSockets.length > 0) model.addViolation('a socket remains')
        if (pendingTimers() > 0) model.addViolation('a timer remains')
      })
    },
    { endsAt: 100_000 },
  )
  return { ...created[0]!, pendingTimers }
}

describe('a price client', () => {
  collectUnhandledErrors()

  it(`behaves like its model in any scenario: seed ${inject('seed')}`, { timeout: 60_000 }, () => {
    const counts = new Map<string, number>()
    fc.assert(
      fc.property(scenario, (generated) => {
        const { model, pendingTimers } = run(generated)
        expect(model.violations).toEqual([])
        expect(pendingTimers).toBe(0)
        for (const [kind, count] of model.counts) counts.set(kind, (counts.get(kind) ?? 0) + count)
      }),
      { numRuns: caseCount(3000) },
    )
    // The scenarios must cause enough events of every kind.
    const kinds = [
      'Right',
      'Disconnected',
      'Stale',
      'SubscriptionTimeout',
      'SubscriptionRejected',
      'uncorrelated',
    ]
    for (const kind of kinds) expect(counts.get(kind), kind).toBeGreaterThan(caseCount(500))
  })
})
