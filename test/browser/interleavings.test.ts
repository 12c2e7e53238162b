import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { manualMarket } from '../support/manual-market.js'
import { caseCount } from '../support/run/long.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic } from '../support/tokens.js'
import type { Action } from './support/client-driver.js'
import { usePlatforms } from './support/platforms.js'

/** A subscriber of the model. */
type Step = { readonly subscriber: number } | 'turn' | 'drop'

const topics = [ethTopic, btcTopic]
const topicOf = (subscriber: number): string => topics[subscriber % topics.length] ?? ethTopic

/** A step of a subscriber subscribes it, or unsubscribes it if it is subscribed. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 3 }).map((subscriber) => ({ subscriber })) },
  { weight: 2, arbitrary: fc.constant('turn' as const) },
  { weight: 1, arbitrary: fc.constant('drop' as const) },
)

/** The names of the active subscriptions, with their topics. */
type Model = Map<number, { readonly name: string; readonly topic: string }>

/** Applies a step to the model. Returns the action of the client. */
const apply = (model: Model, subscriber: number, name: string): Action => {
  const active = model.get(subscriber)
  if (active !== undefined) {
    model.delete(subscriber)
    return ['unsubscribe', active.name]
  }
  const topic = topicOf(subscriber)
  model.set(subscriber, { name, topic })
  return ['subscribe', name, topic]
}

interface PriceEvent {
  readonly right?: { readonly topic: string; readonly price: number; readonly epoch: number }
}

describe.each(usePlatforms())('a client %s', (_platform, startClient) => {
  it('keeps exactly the wanted topics and their current prices, for any sequence of subscribes, unsubscribes and drops', async () => {
    const market = manualMarket()
    const simulator = await startTestSimulator({ market })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const drive = await startClient({ ...simulator, linger: 0 })
        const model: Model = new Map()
        const names: string[] = []
        let batch: Action[] = []
        for (const [index, next] of steps.entries()) {
          if (next === 'turn') batch.push(['turn'])
          else if (next === 'drop') {
            await drive('run', batch)
            batch = []
            simulator.dropConnections()
          } else {
            const action = apply(model, next.subscriber, String(index))
            if (action[0] === 'subscribe') names.push(action[1])
            batch.push(action)
          }
        }
        await drive('run', batch)

        const wanted = [...new Set([...model.values()].map(({ topic }) => topic))].sort()
        await eventually(() => {
          const open = simulator.connections.map((connection) => [...connection.topics].sort())
          expect(open).toEqual(wanted.length === 0 ? [] : [wanted])
        })
        for (const { name, topic } of model.values()) {
          const price = topic === ethTopic ? 2500 : 60_000
          await eventually(async () =>
            expect((await drive('events', name)).at(-1)).toMatchObject({ right: { topic, price } }),
          )
        }
        for (const name of names) {
          const events = (await drive('events', name)) as readonly PriceEvent[]
          const epochs = events.flatMap(({ right }) => (right === undefined ? [] : [right.epoch]))
          expect(epochs).toEqual([...epochs].sort((a, b) => a - b))
        }
        await drive('close')
        await eventually(() => expect(simulator.connections).toEqual([]))
      }),
      { numRuns: caseCount(150) },
    )
  })
})
