import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Secrets } from '../../src/auth/secrets.js'
import { readFrame, type Frame } from '../../src/codec/price-frame.js'
import type { Address } from '../../src/domain/address.js'
import { onFrame, onPriceUpdate, type Reception } from '../../src/prices/received-frame.js'
import { Subscriptions } from '../../src/prices/subscriptions.js'
import type { TopicState } from '../../src/prices/topics.js'
import { rxClock } from '../../src/time/rx-clock.js'
import { createPriceSubscriber, type TestPriceSubscriber } from './support/price-subscriber.js'

const probed: Address = '0xaa'

const receptionOf = (subscriptions: Subscriptions): Reception => ({
  ...{ subscriptions, clock: { ...rxClock, elapsed: () => 0 } },
  ...{ service: 'svc', secrets: new Secrets() },
})

/** A frame of the client that the service has not answered. */
interface Unanswered {
  readonly frame: string
  readonly isProbe: boolean
}

/** A connection to a service that answers each frame in order with a list of topics. */
class Scene {
  private readonly subscriptions = new Subscriptions({ linger: 0, staleAfter: 1e6, confirmTimeout: 1e6 })
  private readonly reception: Reception
  /** The topics that may be left. */
  private wanted: (readonly [TopicState, TestPriceSubscriber])[] = []
  private readonly unanswered: Unanswered[] = []
  private readonly listed = new Set<string>()
  private topics = 0

  constructor(private readonly listsAll: boolean) {
    const { subscriptions } = this
    this.reception = receptionOf(subscriptions)
    subscriptions.onOpen()
    this.request(probed)
    this.answer()
    this.wanted = []
  }

  subscribe(): void {
    this.request(`0x${++this.topics}`)
  }

  /** The topic may still wait for its confirmation. */
  unsubscribe(index: number): void {
    const [removed] = this.wanted.splice(index % Math.max(1, this.wanted.length), 1)
    if (removed === undefined) return
    this.subscriptions.removeSubscriber(...removed, 0)
    this.send()
  }

  /** The newest topic is left, and wanted again in the next tick. */
  renew(): void {
    const newest = this.wanted.at(-1)
    const last = this.unanswered.at(-1)
    if (newest === undefined || last === undefined || read(last.frame).topic !== newest[0].topic) return
    this.unsubscribe(this.wanted.length - 1)
    this.request(newest[0].base)
    this.wanted.pop()
  }

  probe(): void {
    this.subscriptions.acks.probes.start(probed, 0)
    this.unanswered.push({ frame: `{"method":"subscribe","topic":"svc-${probed}"}`, isProbe: true })
  }

  /** The service sends a price of a new topic in front of its confirmation. A probe is under way. */
  sendEarlyPrice(): void {
    const [next] = this.unanswered
    if (next === undefined || next.isProbe || this.subscriptions.acks.probes.count === 0) return
    const { method, topic } = read(next.frame)
    if (method !== 'subscribe') return
    // It stays, because a price counts as the confirmation of a topic that is left.
    this.wanted = this.wanted.filter(([state]) => state.topic !== topic)
    const text = `{"topic":"${topic}","price":1}`
    const update = readFrame(text) as Extract<Frame, { _tag: 'PriceUpdate' }>
    onPriceUpdate(this.reception, update, text, { at: 0, epoch: 1, isCurrent: true })
  }

  /** The service answers its oldest unanswered frame. */
  answer(): void {
    const next = this.unanswered.shift()
    if (next === undefined) return
    const { method, topic } = read(next.frame)
    if (method === 'subscribe') this.listed.add(topic)
    else this.listed.delete(topic)
    const isSubscribe = method === 'subscribe'
    const subscriptions = this.listsAll ? [...this.listed] : isSubscribe ? [topic] : []
    const effects = onFrame(this.reception, { _tag: 'Confirmation', subscriptions }, '')
    expect(effects.some(({ _tag }) => _tag === 'ProbeAnswered')).toBe(next.isProbe)
  }

  private request(base: Address): void {
    const subscriber = createPriceSubscriber(`svc-${base}`)
    this.wanted.push([this.subscriptions.addSubscriber(base, subscriber), subscriber])
    this.send()
  }

  private send(): void {
    for (const frame of this.subscriptions.takeFrames(Infinity, 0))
      this.unanswered.push({ frame, isProbe: false })
  }
}

const read = (frame: string) => JSON.parse(frame) as { readonly method: string; readonly topic: string }

const step = fc.oneof(
  fc.record({
    act: fc.constantFrom('subscribe', 'probe', 'early price', 'answer', 'renew'),
    index: fc.constant(0),
  }),
  fc.record({ act: fc.constant('unsubscribe'), index: fc.nat(9) }),
)

it('a confirmation answers a probe exactly if the service sends it for that probe, whatever topics come and go', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 40, size: 'max' }), (listsAll, steps) => {
      const scene = new Scene(listsAll)
      for (const { act, index } of steps) {
        if (act === 'subscribe') scene.subscribe()
        else if (act === 'unsubscribe') scene.unsubscribe(index)
        else if (act === 'probe') scene.probe()
        else if (act === 'renew') scene.renew()
        else if (act === 'early price') scene.sendEarlyPrice()
        else scene.answer()
      }
    }),
    { numRuns: 2000 },
  )
})

it('a confirmation answers the probes before the one whose topic it lists', () => {
  const subscriptions = new Subscriptions({ linger: 0, staleAfter: 1e6, confirmTimeout: 1e6 })
  // The service has rejected the first topic since.
  subscriptions.acks.probes.start('0xaa', 0)
  subscriptions.acks.probes.start('0xbb', 0)
  const frame = { _tag: 'Confirmation', subscriptions: ['svc-0xbb'] } as const
  const answers = onFrame(receptionOf(subscriptions), frame, '').filter(
    ({ _tag }) => _tag === 'ProbeAnswered',
  )
  expect(answers).toHaveLength(2)
})
