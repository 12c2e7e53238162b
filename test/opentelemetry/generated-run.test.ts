import fc from 'fast-check'
import type { Subscription } from 'rxjs'
import type { Client } from 'svc-streams'
import type { Simulator } from 'svc-streams/simulator'
import { expect, it } from 'vitest'
import { authKey, createClientFor, fastMarket, startTestSimulator } from '../support/simulator.js'
import { caseCount } from '../support/run/long.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, wbtc, weth } from '../support/tokens.js'
import { startInstrumentation, type Instrumentation } from './support/exported.js'

const topics = [ethTopic, btcTopic, 'svc-0xdead'] as const
const mints = [weth, wbtc, '0xbeef'] as const

const topicStates = ['waiting', 'live', 'stale', 'down', 'rejected', 'lingering'] as const

/** The metrics of what exists now. */
const gauges = [
  'connection.count',
  'connection.lag',
  'topic.count',
  'price.max_age',
  'poll.count',
  'depth.lag',
]

interface Run {
  readonly client: Client
  readonly simulator: Simulator
  readonly subscriptions: Subscription[]
}

type Step = (run: Run) => void

const steps: fc.Arbitrary<readonly (readonly [name: string, step: Step])[]> = fc.array(
  fc.oneof(
    fc
      .constantFrom(...topics)
      .map(
        (topic) =>
          [
            `subscribe ${topic}`,
            ({ client, subscriptions }: Run) => void subscriptions.push(client.price$(topic).subscribe()),
          ] as const,
      ),
    fc
      .constantFrom(...mints)
      .map(
        (mint) =>
          [
            `poll ${mint}`,
            ({ client, subscriptions }: Run) => void subscriptions.push(client.depth$(mint, 20).subscribe()),
          ] as const,
      ),
    fc
      .nat()
      .map(
        (index) =>
          [
            `unsubscribe ${index}`,
            ({ subscriptions }: Run) =>
              subscriptions.splice(index % (subscriptions.length + 1), 1)[0]?.unsubscribe(),
          ] as const,
      ),
    fc.constantFrom(
      ...([
        ['drop', ({ simulator }: Run) => simulator.dropConnections(4001)],
        ['refuse', ({ simulator }: Run) => simulator.inject({ refuseUpgrades: 503, httpStatus: 503 })],
        ['garbage', ({ simulator }: Run) => simulator.inject({ garbage: ['malformed', 'unknown-topic'] })],
        ['stall', ({ simulator }: Run) => simulator.inject({ stall: true })],
        ['recover', ({ simulator }: Run) => simulator.inject({})],
      ] as const),
    ),
  ),
  { minLength: 4, maxLength: 12 },
)

/** The state of the client as the metrics count it. */
const inspected = (client: Client) => {
  const { status, topics: all, polls } = client.inspect()
  return {
    connections: status._tag === 'Idle' || status._tag === 'Closed' ? 0 : 1,
    open: status._tag === 'Open' ? 1 : 0,
    topics: topicStates.map((state) => all.filter((topic) => topic.state === state).length),
    polls: polls.length,
  }
}

const measured = ({ value }: Instrumentation) => ({
  connections: value('svc_streams.connection.count'),
  open: value('svc_streams.connection.count', { 'svc_streams.connection.state': 'open' }),
  topics: topicStates.map((state) => value('svc_streams.topic.count', { 'svc_streams.topic.state': state })),
  polls: value('svc_streams.poll.count'),
})

it('counts what inspect() of the client shows after each of any steps, and exports no topic, mint or key', async () => {
  const instrumentation = startInstrumentation()
  const { collect, spans, value } = instrumentation
  const property = fc.asyncProperty(steps, async (sequence) => {
    const simulator = await startTestSimulator({ ...fastMarket, authKey })
    const reconnect = { initialDelay: 1, maxDelay: 20 }
    const client = createClientFor(simulator, { reconnect, linger: 20, staleAfter: 200, confirmTimeout: 100 })
    const run: Run = { client, simulator, subscriptions: [] }
    for (const [, step] of sequence) {
      step(run)
      await eventually(async () => {
        await collect()
        expect(measured(instrumentation)).toEqual(inspected(client))
      })
    }
    await client.close()
    const exported = await collect()
    expect(measured(instrumentation)).toEqual(inspected(client))
    expect(gauges.filter((name) => value(`svc_streams.${name}`) !== 0)).toEqual([])
    expect(value('svc_streams.poll.duration')).toBe(spans().length)
    const attributes = [
      ...exported.map((series) => series.attributes),
      ...spans().map((span) => ({ ...span.attributes, name: span.name, message: span.status.message })),
      ...spans().flatMap((span) => span.events.map((event) => ({ ...event.attributes, name: event.name }))),
    ]
    const values = [...new Set(attributes.flatMap((each) => Object.values(each).map(String)))].join('\n')
    for (const secret of [...topics, ...mints, 'svc-0x', '0x', authKey]) expect(values).not.toContain(secret)
    // Signatures are base64 of 32 bytes.
    expect(values).not.toMatch(/[\w+/]{43}/)
    await simulator.close()
  })
  await fc.assert(property, { numRuns: caseCount(40), endOnFailure: true })
})
