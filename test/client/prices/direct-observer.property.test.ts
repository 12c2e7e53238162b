import fc from 'fast-check'
import { map, Observable, Subscriber, type Observer, type Subscription } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  addTeardown,
  directObserver,
  addToList,
  deliverPrice,
  removeFromList,
  PriceSubscription,
  type PriceEvent,
} from '../../../src/client/prices/subscribers.js'
import { safeNext } from '../../../src/base/task/safe-notify.js'
import { createTopic, setPrice } from '../../../src/client/prices/topics.js'
import { a } from '../../support/time/marbles.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'

const reported = collectUnhandledErrors()
const inherited = Reflect.get(Subscriber.prototype, 'next') as (this: unknown, event: PriceEvent) => void

/** What an observer does in `next`, `complete` or a teardown. */
const reaction = fc.constantFrom<Reaction>('nothing', 'throw', 'unsubscribe', 'emit', 'join', 'complete')
type Reaction = 'nothing' | 'throw' | 'unsubscribe' | 'emit' | 'join' | 'complete'

const step = fc.record({
  act: fc.constantFrom('emit' as const, 'join' as const, 'unsubscribe' as const, 'complete' as const),
  /** The subscriber, modulo their number. */
  of: fc.nat(5),
})

const form = fc.constantFrom<Form>('function', 'observer', 'method', 'without next')
type Form = 'function' | 'observer' | 'method' | 'without next'

/** A topic whose observers react to each price. `isSlow`: each subscriber has a form that is not known. */
const run = (
  steps: readonly { readonly act: Reaction; readonly of: number }[],
  forms: readonly Form[],
  reactions: readonly Reaction[],
  isSlow: boolean,
): readonly string[] => {
  const log: string[] = []
  const before = reported.length
  const state = createTopic('0xab', a)
  const members: { readonly subscription: Subscription; readonly node: PriceSubscription }[] = []
  let count = 0
  let price = 0

  const act = (reaction: Reaction, of: number): void => {
    const member = members[of % Math.max(1, members.length)]
    if (++count > 60) return
    if (reaction === 'throw') throw new Error(`by ${of}`)
    if (reaction === 'unsubscribe') member?.subscription.unsubscribe()
    if (reaction === 'complete') member?.node.subscriber.complete()
    if (reaction === 'join') join()
    if (reaction === 'emit') {
      setPrice(state, { price: ++price, receivedAt: price, epoch: 1 })
      deliverPrice(state, () => true)
    }
  }
  const join = (): void => {
    const id = members.length
    const next = (event: PriceEvent): void => {
      log.push(`${id}: ${JSON.stringify(event)}`)
      act(reactions[count % reactions.length] ?? 'nothing', id)
    }
    const complete = (): void => void log.push(`${id}: completed`)
    const source$ = new Observable<PriceEvent>((subscriber) => {
      if (isSlow)
        Object.assign(subscriber, { next: (event: PriceEvent) => inherited.call(subscriber, event) })
      const node = new PriceSubscription('0xab', a, subscriber, undefined, () => undefined)
      members.push({ node, subscription: subscriber })
      addToList(state, node)
      return () => {
        removeFromList(state, node)
        log.push(`${id}: left`)
      }
    })
    source$.subscribe(observerOf(forms[id % forms.length] ?? 'function', next, complete))
  }

  runInVirtualTime(() => {
    for (const each of steps) act(each.act, each.of)
  })
  return [...log, ...reported.slice(before).map(String)]
}

const observerOf = (
  form: Form,
  next: (event: PriceEvent) => void,
  complete: () => void,
): Partial<Observer<PriceEvent>> | ((event: PriceEvent) => void) => {
  if (form === 'function') return next
  if (form === 'observer') return { next, complete }
  if (form === 'without next') return { complete }
  return new (class {
    private readonly handler = next
    next(event: PriceEvent): void {
      this.handler(event)
    }
    complete = complete
  })()
}

describe('directObserver', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('delivers like the subscriber, for observers that throw, leave, complete, join and emit in next', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 25 }),
        fc.array(form, { minLength: 1, maxLength: 4 }),
        fc.array(reaction, { minLength: 1, maxLength: 8 }),
        (steps, forms, reactions) => {
          expect(run(steps, forms, reactions, false)).toEqual(run(steps, forms, reactions, true))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('returns the observer of a plain subscriber, and any other subscriber itself', () => {
    const observer = { next: () => undefined }
    const subscriber = new Observable<number>().subscribe(observer) as Subscriber<number>
    expect(directObserver(subscriber)).toBe(observer)
    const other = new (class extends Subscriber<number> {})()
    expect(directObserver(other)).toBe(other)
    const empty = new Observable<number>().subscribe() as Subscriber<number>
    expect(directObserver(empty)).toBe(empty)
    subscriber.unsubscribe()
    expect(directObserver(subscriber)).toBe(subscriber)
  })

  it('returns the subscriber if Zone may have changed its class', () => {
    const subscriber = new Observable<number>().subscribe({ next: () => undefined }) as Subscriber<number>
    vi.stubGlobal('Zone', {})
    expect(directObserver(subscriber)).toBe(subscriber)
  })

  it('reports an exception of the observer as RxJS does', () => {
    const subscriber = new Observable<number>().subscribe(() => {
      throw new Error('boom')
    }) as Subscriber<number>
    runInVirtualTime(() => safeNext(directObserver(subscriber), 1))
    expect(reported).toEqual([new Error('boom')])
  })
})

describe('addTeardown', () => {
  const acts = fc.array(fc.constantFrom('teardown', 'add', 'unsubscribe', 'complete'), { maxLength: 6 })

  /** The teardowns that run, after the steps, of a subscriber that an operator has, or of a plain one. */
  const ran = (steps: readonly string[], piped: boolean, add: typeof addTeardown): readonly unknown[] => {
    const log: unknown[] = []
    const steps$ = new Observable<number>((subscriber) => {
      steps.forEach((step, index) => {
        log.push(step)
        const run = { unsubscribe: () => log.push(index) }
        if (step === 'teardown') add(subscriber, run)
        else if (step === 'add') subscriber.add(() => log.push(index))
        else if (step === 'unsubscribe') subscriber.unsubscribe()
        else subscriber.complete()
      })
      return () => log.push('last')
    })
    const source$ = piped ? steps$.pipe(map((value) => -value)) : steps$
    source$.subscribe({ complete: () => log.push('completed') }).unsubscribe()
    return log
  }

  it('runs the teardowns that `add` runs, at the same time', () => {
    fc.assert(
      fc.property(acts, fc.boolean(), (steps, piped) => {
        const expected = ran(steps, piped, (subscriber, teardown) => subscriber.add(teardown))
        expect(ran(steps, piped, addTeardown)).toEqual(expected)
      }),
    )
  })

  it('keeps the first teardown in an array of its own', () => {
    const teardown = { unsubscribe: () => undefined }
    const subscriber = new Observable<number>().subscribe() as Subscriber<number>
    addTeardown(subscriber, teardown)
    expect(subscriber).toHaveProperty('_finalizers', [teardown])
  })
})
