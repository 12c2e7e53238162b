import fc from 'fast-check'
import { concat, defer, from, NEVER, Observable, of, Subject, Subscription, throwError } from 'rxjs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isRight } from '../../src/index.js'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import { iterate } from '../../src/operators/index.js'
import { caseCount } from '../support/run/long.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { ethTopic } from '../support/tokens.js'

const end = { done: true, value: undefined }
const event = (value: unknown) => ({ done: false, value })

/** A subject, and a loop over it that is read by hand. */
const openLoop = (buffer: 'latest' | number = 'latest') => {
  const source$ = new Subject<number>()
  const events = iterate(source$, { buffer })
  return { source$, events, loop: events[Symbol.asyncIterator]() }
}

/** A loop that has read the first event, 1, and whose timers are fake. */
const openReadLoop = async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { source$, loop } = openLoop()
  const first = loop.next()
  source$.next(1)
  await first
  return { source$, loop }
}

/** Values that a caller in plain JavaScript may pass instead of an observable. */
const noObservables: readonly (readonly [unknown, string])[] = [
  [undefined, 'undefined'],
  [null, 'null'],
  [[1], 'an array'],
  [{ price$: () => of(1) }, 'a value of type object'],
]

describe('iterate', () => {
  it.each(noObservables)('throws for %o instead of an observable, at the call', (value, name) => {
    expect(() => iterate(value as never)).toThrow(
      new ConfigurationError('source$', `expected an observable, got ${name}`),
    )
  })

  it('subscribes on the first read, and unsubscribes when the loop is left', async () => {
    const { source$, loop } = openLoop()
    expect(source$.observed).toBe(false)
    const read = loop.next()
    expect(source$.observed).toBe(true)
    source$.next(1)
    expect(await read).toEqual(event(1))
    expect(await loop.return!()).toEqual(end)
    expect(source$.observed).toBe(false)
    expect(await loop.next()).toEqual(end)
  })

  it('unsubscribes when the loop is left while it subscribes', async () => {
    const log: string[] = []
    let leave: () => unknown = () => undefined
    const source$ = new Observable<number>((subscriber) => {
      leave()
      subscriber.next(1)
      return () => log.push('teardown')
    })
    const events = iterate(source$, { buffer: 2 })
    const loop = events[Symbol.asyncIterator]()
    leave = () => loop.return!()
    expect(await loop.next()).toEqual(end)
    expect(await loop.next()).toEqual(end)
    expect([log, events.dropped]).toEqual([['teardown'], 0])
  })

  it('unsubscribes when the body of the loop throws', async () => {
    const source$ = new Subject<number>()
    const thrown = new Error('of the body')
    const loop = (async () => {
      for await (const each of iterate(concat(of(1), source$))) if (each === 1) throw thrown
    })()
    await expect(loop).rejects.toBe(thrown)
    expect(source$.observed).toBe(false)
  })

  it('keeps the newest unread event, and counts the others', async () => {
    const { source$, events, loop } = openLoop()
    const first = loop.next()
    for (const each of [1, 2, 3, 4]) source$.next(each)
    expect(await first).toEqual(event(1))
    expect(events.dropped).toBe(2)
    expect(await loop.next()).toEqual(event(4))
  })

  it.each([
    ['latest', 0],
    [200, 199],
  ] as const)('a slow loop with the buffer %s reads an event that is %i events old', async (buffer, age) => {
    const { source$, loop } = openLoop(buffer)
    void loop.next()
    let newest = 0
    const ages: number[] = []
    for (let read = 0; read < 40; read++) {
      for (let each = 0; each < 10; each++) source$.next(++newest)
      const { value } = await loop.next()
      ages.push(newest - Number(value))
    }
    expect(ages.at(-1)).toBe(age)
    expect(Math.max(...ages)).toBe(age)
  })

  it('keeps as many unread events as the buffer holds, and drops the oldest', async () => {
    const { source$, events, loop } = openLoop(2)
    const first = loop.next()
    for (const each of [1, 2, 3, 4]) source$.next(each)
    expect(await first).toEqual(event(1))
    expect(await loop.next()).toEqual(event(3))
    expect(await loop.next()).toEqual(event(4))
    expect(events.dropped).toBe(1)
  })

  it('ends after the last unread event when the source completes', async () => {
    const { source$, loop } = openLoop(3)
    const first = loop.next()
    for (const each of [1, 2]) source$.next(each)
    source$.complete()
    expect([await first, await loop.next(), await loop.next()]).toEqual([event(1), event(2), end])
  })

  it('throws an Rx error after the last unread event, once', async () => {
    const { source$, loop } = openLoop(3)
    const first = loop.next()
    for (const each of [1, 2]) source$.next(each)
    source$.error('failed')
    expect([await first, await loop.next()]).toEqual([event(1), event(2)])
    await expect(loop.next()).rejects.toBe('failed')
    expect(await loop.next()).toEqual(end)
  })

  it('answers a read that waits when the loop is left', async () => {
    const { loop } = openLoop()
    const read = loop.next()
    await loop.return!()
    expect(await read).toEqual(end)
  })

  it.each([
    ['the loop is left', (_source$: Subject<number>, loop: AsyncIterator<number>) => loop.return?.(), end],
    ['the source completes', (source$: Subject<number>) => source$.complete(), event(2)],
  ])('leaves no timer of a late read if %s', async (_, stop, expected) => {
    const { source$, loop } = await openReadLoop()
    source$.next(2)
    vi.advanceTimersByTime(600)
    const late = loop.next()
    expect(vi.getTimerCount()).toBe(1)
    void stop(source$, loop)
    expect(vi.getTimerCount()).toBe(0)
    expect(await late).toEqual(expected)
    await loop.next()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('leaves no timer of a late read that a newer event answers', async () => {
    const { source$, loop } = await openReadLoop()
    source$.next(2)
    vi.advanceTimersByTime(600)
    const late = loop.next()
    source$.next(3)
    expect(await late).toEqual(event(3))
    expect(vi.getTimerCount()).toBe(0)
  })

  it('keeps nothing of a late read that has ended', async () => {
    const { source$, loop } = await openReadLoop()
    const added = vi.spyOn(Subscription.prototype, 'add')
    onTestFinished(() => added.mockRestore())
    source$.next(2)
    vi.advanceTimersByTime(600)
    const late = loop.next()
    const timer = added.mock.calls.at(-1)?.[0] as Subscription
    await vi.advanceTimersByTimeAsync(200)
    expect(await late).toEqual(event(2))
    // A subscription that is closed is no longer part of that of the loop.
    expect(timer.closed).toBe(true)
  })

  it('reads an unread event at once if the source has completed, however late the loop is', async () => {
    const { source$, loop } = await openReadLoop()
    source$.next(2)
    source$.complete()
    vi.advanceTimersByTime(600)
    expect(await loop.next()).toEqual(event(2))
    expect(await loop.next()).toEqual(end)
  })

  it('reads a source that emits and ends on subscription', async () => {
    const collected: number[] = []
    for await (const each of iterate(from([1, 2, 3]), { buffer: 10 })) collected.push(each)
    expect(collected).toEqual([1, 2, 3])
    await expect(
      iterate(throwError(() => 'failed'))
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toBe('failed')
  })

  it('subscribes once for each loop', async () => {
    let subscriptions = 0
    const events = iterate(defer(() => concat(of(++subscriptions), NEVER)))
    const [one, two] = [events[Symbol.asyncIterator](), events[Symbol.asyncIterator]()]
    expect([await one.next(), await two.next()]).toEqual([event(1), event(2)])
    await Promise.all([one.return!(), two.return!()])
  })

  it.each([0, -1, 1.5, NaN, Infinity, 'newest' as 'latest'])('rejects a buffer of %s', (buffer) => {
    expect(() => iterate(NEVER, { buffer })).toThrow(ConfigurationError)
  })

  it('rejects a misspelt option name with a suggestion', () => {
    const misspelt = { bufer: 2 }
    expect(() => iterate(NEVER, misspelt as object)).toThrow('bufer: did you mean buffer?')
  })

  it('reads the prices of a client, which then unsubscribes', async () => {
    const client = createClientFor(await startTestSimulator())
    let count = 0
    for await (const each of iterate(client.price$(ethTopic))) if (isRight(each) && ++count === 3) break
    expect(client.inspect().topics.map(({ subscribers }) => subscribers)).toEqual([0])
  })
})

/** What a loop returns: a queue of at most `size` events, from which the oldest are dropped. */
class Model {
  readonly queue: number[] = []
  dropped = 0
  constructor(private readonly size: number) {}

  emit(each: number): void {
    this.queue.push(each)
    if (this.queue.length <= this.size) return
    this.queue.shift()
    this.dropped++
  }
}

describe('iterate in any interleaving of events and reads', () => {
  it('returns what a bounded queue holds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('emit') }, fc.constant('read')), {
          maxLength: 40,
        }),
        async (size, steps) => {
          const { source$, events, loop } = openLoop(size)
          const model = new Model(size)
          const first = loop.next()
          source$.next(0)
          expect(await first).toEqual(event(0))
          let emitted = 0
          for (const step of steps) {
            if (step === 'emit') {
              source$.next(++emitted)
              model.emit(emitted)
            } else if (model.queue.length > 0) expect(await loop.next()).toEqual(event(model.queue.shift()))
          }
          source$.complete()
          for (const each of model.queue) expect(await loop.next()).toEqual(event(each))
          expect(await loop.next()).toEqual(end)
          expect(events.dropped).toBe(model.dropped)
        },
      ),
      { numRuns: caseCount(2_000) },
    )
  })
})
