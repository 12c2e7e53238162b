import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { manual, ManualTransport } from '../support/manual-transport.js'
import { unhandledErrors } from '../support/unhandled.js'
import { virtually } from '../support/virtual.js'
import { bases, Model, patience, type Behaviour } from './model.js'
import { sample } from '../support/long.js'

type Command =
  | { readonly do: 'join'; readonly topic: number; readonly upper: boolean; readonly behaviour: Behaviour }
  | { readonly do: 'leave'; readonly who: number }
  | { readonly do: 'open' }
  | { readonly do: 'confirm'; readonly style: 'all' | 'new' | 'none' }
  | { readonly do: 'reject'; readonly named: boolean; readonly which: number }
  | { readonly do: 'price'; readonly topic: number; readonly price: number }
  | { readonly do: 'drop'; readonly code: number }
  | { readonly do: 'mute'; readonly muted: boolean }

/** What happens in one tick, and how long after the last one. */
interface Tick {
  readonly after: number
  readonly commands: readonly Command[]
}

interface Life {
  readonly ticks: readonly Tick[]
  readonly linger: number
  readonly maxFramesPerSecond: number | undefined
  readonly saysGoodbye: boolean
  /** Whether it ends by a close rather than by all leaving. */
  readonly closes: boolean
}

const topic = fc.nat(bases.length - 1)
const behaviour = fc.constantFrom<Behaviour[]>('stays', 'stays', 'stays', 'leaves at once', 'throws')

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('join' as const), topic, upper: fc.boolean(), behaviour }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('leave' as const), who: fc.nat(9) }) },
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
    arbitrary: fc.record({ do: fc.constant('reject' as const), named: fc.boolean(), which: fc.nat(3) }),
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
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mute' as const), muted: fc.boolean() }) },
)

const life: fc.Arbitrary<Life> = fc.record({
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
  saysGoodbye: fc.boolean(),
  closes: fc.boolean(),
})

/** Long enough for every wait, retry and deadline to be over. */
const peace = 5000

interface Lived {
  readonly model: Model
  readonly transport: ManualTransport
  readonly timersLeft: number
}

const live = ({ ticks, linger, maxFramesPerSecond, saysGoodbye, closes }: Life): Lived => {
  const lived: { readonly model: Model; readonly transport: ManualTransport }[] = []
  const timersLeft = virtually(
    ({ now, at, after, timers }) => {
      const model = new Model(now, after, linger, maxFramesPerSecond ?? Infinity)
      const transport = new ManualTransport({ ...model.transportOptions, saysGoodbye })
      lived.push({ model, transport })
      const { client } = manual(
        { ...patience, linger, ...(maxFramesPerSecond === undefined ? {} : { maxFramesPerSecond }) },
        transport,
      )
      model.watch(client)

      const perform = (what: Command): void => {
        switch (what.do) {
          case 'join':
            return model.join(client, bases[what.topic]!, what.upper, what.behaviour)
          case 'leave': {
            const present = model.listeners.filter(({ active }) => active)
            const leaver = present[what.who % Math.max(1, present.length)]
            return leaver === undefined ? undefined : model.leave(leaver)
          }
          case 'open':
            return model.opens(transport)
          case 'confirm':
            return model.confirms(what.style)
          case 'reject':
            return model.rejects(what.named, what.which)
          case 'price':
            return model.prices(bases[what.topic]!, what.price)
          case 'drop':
            return model.drops(transport, what.code)
          case 'mute':
            model.muted = what.muted
        }
      }

      // No two ticks, and no two deadlines that they cause, are ever at one time: which comes first says nothing.
      let time = 0
      for (const [index, tick] of ticks.entries()) {
        time += tick.after
        at(time + index / 1024, () => {
          model.settle()
          tick.commands.forEach(perform)
          model.ticked()
        })
      }
      at(time + 1 + 50 / 1024, () => {
        model.settle()
        model.becomesDutiful(transport)
      })
      at(time + peace, () => {
        model.settle()
        model.isAtPeace(transport)
        if (closes) model.close(client)
        else model.listeners.filter(({ active }) => active).forEach((listener) => model.leave(listener))
      })
      at(time + peace + model.aftermath, () => {
        if (transport.alive.length > 0) model.violated('a socket was left behind')
        if (timers() > 0) model.violated('a timer was left behind')
      })
    },
    { until: 100_000 },
  )
  return { ...lived[0]!, timersLeft }
}

describe('whatever happens, and in whatever order', () => {
  unhandledErrors()

  it(`a client keeps what it promises: seed ${inject('seed')}`, { timeout: 60_000 }, () => {
    const counts = new Map<string, number>()
    fc.assert(
      fc.property(life, (one) => {
        const { model, timersLeft } = live(one)
        expect(model.violations).toEqual([])
        expect(timersLeft).toBe(0)
        for (const [what, count] of model.counts) counts.set(what, (counts.get(what) ?? 0) + count)
      }),
      { numRuns: sample(3000) },
    )
    // Lives in which nothing happens prove nothing.
    const kinds = [
      'Right',
      'Disconnected',
      'Stale',
      'SubscriptionTimeout',
      'SubscriptionRejected',
      'uncorrelated',
    ]
    for (const kind of kinds) expect(counts.get(kind), kind).toBeGreaterThan(sample(500))
  })
})
