import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Address } from '../../../src/base/domain/topic.js'
import { Subscriptions } from '../../../src/client/prices/subscriptions.js'
import type { SubscribedTopic } from '../../../src/client/prices/topics.js'
import { createReceiver } from './support/frame-receiver.js'
import { createPriceSubscriber, type TestPriceSubscriber } from './support/price-subscriber.js'

const probed: Address = '0xaa'

/** A frame of the client that the service has not answered. */
interface Unanswered {
  readonly frame: string
  readonly isProbe: boolean
}

/** How a service differs from one that answers each frame in order. */
interface Habits {
  readonly listsAll: boolean
  /** A gateway answers a subscribe frame when the service has answered its own, and not if the topic is left before. */
  readonly isGateway: boolean
  readonly answersUnsubscribes: boolean
}

/** A connection to a service that answers frames with a list of topics. */
class Scene {
  private readonly subscriptions = new Subscriptions({ linger: 0, staleAfter: 1e6, confirmTimeout: 1e6 })
  private readonly receive: ReturnType<typeof createReceiver>['receive']
  /** The topics that may be left. */
  private wanted: (readonly [SubscribedTopic, TestPriceSubscriber])[] = []
  private readonly unanswered: Unanswered[] = []
  private readonly listed = new Set<string>()
  private topics = 0
  /** The topics whose subscribe frames the gateway has not answered. */
  private readonly waiting: string[] = []
  /** The probes that were sent, that the service has answered, and that the client takes for answered. */
  private readonly probes = { sent: 0, answered: 0, counted: 0 }

  constructor(private readonly habits: Habits) {
    const { subscriptions } = this
    this.receive = createReceiver(subscriptions).receive
    subscriptions.onOpen()
    this.request(probed)
    this.answer()
    this.answerLate(0)
    this.wanted = []
  }

  subscribe(): void {
    this.request(`0x${++this.topics}`)
  }

  /** The topic may still wait for its confirmation. */
  unsubscribe(index: number): void {
    const [removed] = this.wanted.splice(index % Math.max(1, this.wanted.length), 1)
    if (removed === undefined) return
    const [state, subscriber] = removed
    this.subscriptions.leave(state, 0, subscriber)
    this.send()
  }

  /** A topic is left, and wanted again in the next tick. It may still wait for its confirmation. */
  renew(index: number): void {
    const renewed = this.wanted[index % Math.max(1, this.wanted.length)]
    if (renewed === undefined) return
    this.unsubscribe(index)
    this.request(renewed[0].base)
  }

  probe(): void {
    this.subscriptions.sentFrames.onSent('probe', probed, ++this.probes.sent)
    this.unanswered.push({ frame: `{"method":"subscribe","topic":"svc-${probed}"}`, isProbe: true })
  }

  /** The service sends a price of a new topic in front of its confirmation. A probe is under way. */
  sendEarlyPrice(): void {
    const [next] = this.unanswered
    if (next === undefined || next.isProbe || this.subscriptions.sentFrames.probeCount === 0) return
    const { method, topic } = read(next.frame)
    if (method !== 'subscribe') return
    this.receive(`{"topic":"${topic}","price":1}`)
  }

  /** The service answers its oldest unanswered frame. */
  answer(): void {
    const next = this.unanswered.shift()
    if (next === undefined) return
    const { method, topic } = read(next.frame)
    const { isGateway, answersUnsubscribes } = this.habits
    if (method === 'unsubscribe') {
      this.listed.delete(topic)
      if (this.waiting.includes(topic)) this.waiting.splice(this.waiting.indexOf(topic), 1)
      if (answersUnsubscribes) this.confirm()
    } else if (isGateway && !this.listed.has(topic)) this.waiting.push(topic)
    else this.confirm(topic, next.isProbe)
  }

  /** The gateway answers the subscribe frame of a topic. */
  answerLate(index: number): void {
    const [topic] = this.waiting.splice(index % Math.max(1, this.waiting.length), 1)
    if (topic !== undefined) this.confirm(topic)
  }

  private confirm(topic?: string, isProbe = false): void {
    if (topic !== undefined) this.listed.add(topic)
    const added = topic === undefined ? [] : [topic]
    const subscriptions = this.habits.listsAll ? [...this.listed] : added
    if (isProbe) this.probes.answered++
    const effects = this.receive(JSON.stringify({ subscriptions }))
    for (const effect of effects) if (effect._tag === 'ProbeAnswered') this.probes.counted = effect.sentAt
    const { answered, counted } = this.probes
    if (this.isExact) expect(counted).toBe(answered)
    else expect(counted).toBeLessThanOrEqual(answered)
  }

  private get isExact(): boolean {
    return !this.habits.isGateway && this.habits.answersUnsubscribes
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

const step = fc.record({
  act: fc.constantFrom(
    ...(['subscribe', 'probe', 'early price', 'answer', 'late answer', 'unsubscribe', 'renew'] as const),
  ),
  index: fc.nat(9),
})

const habits = fc.record({
  listsAll: fc.boolean(),
  isGateway: fc.boolean(),
  answersUnsubscribes: fc.boolean(),
})

it('a probe is never taken for answered before it is, and by a service that answers each frame exactly when it is', () => {
  fc.assert(
    fc.property(habits, fc.array(step, { maxLength: 60, size: 'max' }), (service, steps) => {
      const scene = new Scene(service)
      for (const { act, index } of steps) {
        if (act === 'subscribe') scene.subscribe()
        else if (act === 'unsubscribe') scene.unsubscribe(index)
        else if (act === 'probe') scene.probe()
        else if (act === 'renew') scene.renew(index)
        else if (act === 'early price') scene.sendEarlyPrice()
        else if (act === 'late answer') scene.answerLate(index)
        else scene.answer()
      }
    }),
    { numRuns: 5000 },
  )
})

it('a confirmation answers the probes before the one whose topic it lists', () => {
  const subscriptions = new Subscriptions({ linger: 0, staleAfter: 1e6, confirmTimeout: 1e6 })
  // The service has rejected the first topic since.
  subscriptions.sentFrames.onSent('probe', '0xaa', 1)
  subscriptions.sentFrames.onSent('probe', '0xbb', 2)
  const effects = createReceiver(subscriptions).receive('{"subscriptions":["svc-0xbb"]}')
  expect(effects).toEqual([{ _tag: 'ProbeAnswered', sentAt: 2 }])
  expect(subscriptions.sentFrames.size).toBe(0)
})
