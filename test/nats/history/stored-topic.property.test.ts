import * as fc from 'fast-check'
import { isRight, right, type Either } from 'fp-ts/lib/Either.js'
import { Subject, Subscription } from 'rxjs'
import type { Price, PriceClient, PriceError } from 'svc-streams'
import { createTestClient } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import type { HistoryStore, StoreResult } from '../../../src/nats/history/history-store.js'
import { retryAfter, StoredTopic } from '../../../src/nats/history/stored-topic.js'
import { decodeRow } from '../../../src/backtest/recording/format/row-codec.js'
import type { Clock } from '../../../src/base/time/clock.js'
import { caseCount } from '../../support/run/long.js'
import { ethTopic } from '../../support/tokens.js'

/** A gateway receives a price, is wanted or not, is checked, or its message gets an answer. */
type Step =
  | {
      readonly type: 'price' | 'want' | 'leave' | 'check' | 'lose' | 'replace' | 'purge'
      readonly gateway: number
    }
  | { readonly type: 'answer'; readonly gateway: number; readonly answer: Answer }
  | { readonly type: 'wait'; readonly ms: number }

/** `stored, unknown`: the server stores the message, and its answer is lost. */
type Answer = 'stored' | 'failed' | 'stored, unknown'

const gatewayCount = 2

const gateway = fc.nat(gatewayCount - 1)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('price' as const), gateway }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('want', 'leave', 'check', 'lose', 'replace', 'purge'),
      gateway,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      gateway,
      answer: fc.constantFrom<Answer>('stored', 'stored', 'stored', 'failed', 'stored, unknown'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(100, 3_000, retryAfter) }),
  },
)

interface StoredMessage {
  readonly id: string
  readonly text: string
}

/** A stream of one subject that does what JetStream does, and answers when the test decides so. */
class TestStream {
  readonly messages: StoredMessage[] = []
  /** The recordings of each stream that was deleted or purged. */
  readonly streams: (readonly (readonly number[])[])[] = []
  private created = 0
  /** The number of messages that were purged from the stream. */
  private removed = 0
  /** The stream that each gateway has opened. */
  private readonly opened = new Map<number, number>()
  private readonly watchers = new Set<(text: string) => void>()
  private readonly waiting = new Map<number, (answer: Answer) => void>()

  storeOf(owner: number): HistoryStore {
    return {
      created: String(this.created),
      maxBytes: () => 2_000,
      store: ({ id, text, after }) =>
        new Promise((resolve) => {
          this.waiting.set(owner, (answer) => {
            const failed: StoreResult = { _tag: 'Failed', error: new Error('failed') }
            const result = answer === 'failed' ? failed : this.add(owner, { id, text }, after)
            if (answer === 'stored' && result._tag === 'Gone') this.opened.set(owner, this.created)
            resolve(answer === 'stored' ? result : failed)
          })
        }),
    }
  }

  /** An operator deletes the messages. They are in `streams`. */
  purge(): void {
    this.removed += this.messages.length
    this.streams.push(recordingsIn(this.messages.splice(0)))
  }

  /** An operator deletes the stream, and makes it anew. */
  replace(): void {
    this.purge()
    this.removed = 0
    this.created++
  }

  answer(owner: number, answer: Answer): void {
    const reply = this.waiting.get(owner)
    this.waiting.delete(owner)
    reply?.(answer)
  }

  watch(onText: (text: string) => void): Subscription {
    this.watchers.add(onText)
    return new Subscription(() => this.watchers.delete(onText))
  }

  private add(owner: number, message: StoredMessage, after: number | undefined): StoreResult {
    if ((this.opened.get(owner) ?? 0) !== this.created) return { _tag: 'Gone' }
    const { messages, removed } = this
    const known = messages.findIndex(({ id }) => id === message.id)
    if (known >= 0) return { _tag: 'Stored', sequence: removed + known + 1 }
    const last = messages.length === 0 ? 0 : removed + messages.length
    if (after !== undefined && after !== last) return { _tag: last === 0 ? 'Emptied' : 'Overtaken' }
    messages.push(message)
    for (const onText of this.watchers) onText(message.text)
    return { _tag: 'Stored', sequence: removed + messages.length }
  }
}

class TestGateway {
  readonly topic: StoredTopic
  /** The prices that it was given while it was wanted, in order. */
  readonly prices: number[] = []
  private readonly price$ = new Subject<Either<PriceError, Price>>()
  private isWanted = false
  private wanted = Subscription.EMPTY
  private count = 0

  constructor(
    stream: TestStream,
    clock: Clock,
    private readonly owner: number,
  ) {
    const client: PriceClient = { ...createTestClient({}), price$: () => this.price$ }
    this.topic = new StoredTopic(ethTopic, 'svc.history.0x1', {
      client,
      clock,
      store: () => stream.storeOf(owner),
      nextId: () => `${owner}-${++this.count}`,
      isFull: () => false,
      onKept: () => undefined,
      watch: (_subject, onText) => stream.watch(onText),
      status: () => ({ _tag: 'Open', epoch: 1, since: 0 }),
      onFailure: () => undefined,
      onGone: () => this.topic.onEmptied(),
    })
  }

  setWanted(isWanted: boolean): void {
    if (isWanted === this.isWanted) return
    this.isWanted = isWanted
    if (isWanted) this.wanted = this.topic.want()
    else this.wanted.unsubscribe()
  }

  /** Each price of each gateway is another one. */
  emit(): void {
    if (!this.isWanted) return
    const price = 1_000 * (this.owner + 1) + this.prices.length
    this.prices.push(price)
    this.price$.next(right({ topic: ethTopic, price, receivedAt: 0, epoch: 1 }))
  }
}

/** The prices of each recording, from its header on. The first one is empty. */
const recordingsIn = (messages: readonly StoredMessage[]): readonly (readonly number[])[] => {
  const recordings: number[][] = [[]]
  const lines = messages.flatMap(({ text }) => text.trimEnd().split('\n'))
  for (const line of lines) {
    if (line.startsWith('{"_tag":"Recording"')) recordings.push([])
    const row = decodeRow(line)
    if (isRight(row) && row.right._tag === 'Price' && isRight(row.right.event))
      recordings.at(-1)?.push(row.right.event.right.price)
  }
  return recordings
}

it('stores one row each 30 s for a topic without news, and its prices at once', async () => {
  let now = 0
  const clock = { elapsed: () => now, wallClock: () => now } as Clock
  const stream = new TestStream()
  const gateway = new TestGateway(stream, clock, 0)
  gateway.setWanted(true)
  gateway.emit()
  for (; now < 600_000; now += 1_000) {
    gateway.topic.check()
    stream.answer(0, 'stored')
    await Promise.resolve()
  }
  expect(stream.messages).toHaveLength(20)
})

it('is taken over by another gateway 5 s after the first price that was not stored, and never while prices are', async () => {
  let now = 0
  const clock = { elapsed: () => now, wallClock: () => now } as Clock
  const stream = new TestStream()
  const [active, other] = [new TestGateway(stream, clock, 0), new TestGateway(stream, clock, 1)]
  const settle = async (): Promise<void> => {
    for (const owner of [0, 1, 0, 1]) {
      stream.answer(owner, 'stored')
      await Promise.resolve()
      await Promise.resolve()
    }
  }
  const emit = async (...gateways: readonly TestGateway[]): Promise<void> => {
    for (const each of gateways) {
      each.emit()
      await settle()
    }
    now += 10_000
  }
  for (const each of [active, other]) each.setWanted(true)
  const stored = () => stream.messages.map(({ id }) => id.split('-')[0])
  await emit(other, active)
  // A quiet topic, whose prices reach one or the other gateway first.
  for (let count = 0; count < 5; count++) await emit(other, active)
  for (let count = 0; count < 5; count++) await emit(active, other)
  expect(stored()).toEqual(['1', ...Array<string>(11).fill('0')])
  await emit(other)
  await emit(other)
  expect(stored().slice(12)).toEqual(['1'])
})

it('stores each price at most once, and in each recording all prices of one gateway', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 120 }), async (steps) => {
      let now = 0
      const clock = { elapsed: () => now, wallClock: () => now } as Clock
      const stream = new TestStream()
      const gateways = Array.from(
        { length: gatewayCount },
        (_, owner) => new TestGateway(stream, clock, owner),
      )
      for (const each of steps) {
        if (each.type === 'wait') now += each.ms
        else {
          const { topic } = gateways[each.gateway]!
          if (each.type === 'price') gateways[each.gateway]!.emit()
          else if (each.type === 'check') topic.check()
          else if (each.type === 'lose') topic.onDisconnected()
          else if (each.type === 'replace') stream.replace()
          else if (each.type === 'purge') stream.purge()
          else if (each.type === 'answer') stream.answer(each.gateway, each.answer)
          else gateways[each.gateway]!.setWanted(each.type === 'want')
        }
        await Promise.resolve()
        await Promise.resolve()
      }
      stream.replace()
      for (const recordings of stream.streams) {
        const all = recordings.flat()
        expect(all).toEqual([...new Set(all)])
      }
      const given = gateways.map(({ prices }) => prices.join())
      for (const recording of stream.streams.flat()) {
        // Without a gap: the numbers of a gateway's prices ascend by one.
        expect(given.some((prices) => prices.includes(recording.join()))).toBe(true)
      }
    }),
    { numRuns: caseCount(6000) },
  )
})
