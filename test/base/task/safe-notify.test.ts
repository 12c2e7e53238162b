import { finalize, map, Observable, Subject, type Observer, type Subscriber } from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import { reportError, safeComplete, safeNext, withSafeComplete$ } from '../../../src/base/task/safe-notify.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'

const throwing = (): never => {
  throw new Error('thrown')
}

/** A subscriber whose operator throws on a value, and whose teardown throws after that and on completion. */
const subscriberOf = (observer: Partial<Observer<unknown>>): Subscriber<number> => {
  const created: Subscriber<number>[] = []
  const source$ = new Observable<number>((subscriber) => void created.push(subscriber))
  source$.pipe(map(throwing), finalize(throwing)).subscribe({ error: () => undefined, ...observer })
  return created[0]!
}

describe('safe notification', () => {
  const reported = collectUnhandledErrors()

  it('reports an exception asynchronously with reportError', async () => {
    reportError(new Error('reported'))
    expect(reported).toEqual([])
    await vi.waitFor(() => expect(reported).toEqual([new Error('reported')]))
  })

  it('reports an exception of a teardown after an operator has thrown, with safeNext', async () => {
    const errors: unknown[] = []
    const subscriber = subscriberOf({ error: (error) => errors.push(error) })
    expect(() => subscriberOf({}).next(1)).toThrow()
    expect(() => safeNext(subscriber, 1)).not.toThrow()
    expect(errors).toEqual([new Error('thrown')])
    await vi.waitFor(() => expect(reported).toHaveLength(1))
  })

  it('completes a subscriber and reports an exception of a teardown with safeComplete', async () => {
    let completions = 0
    const subscriber = subscriberOf({ complete: () => completions++ })
    expect(() => subscriberOf({}).complete()).toThrow()
    expect(() => safeComplete(subscriber as Subscriber<never>)).not.toThrow()
    expect(completions).toBe(1)
    await vi.waitFor(() => expect(reported).toHaveLength(1))
  })

  it('completes all subscribers with withSafeComplete$ when the teardown of one throws', async () => {
    const source$ = new Subject<number>()
    const safe$ = withSafeComplete$(source$)
    const events: string[] = []
    safe$.pipe(finalize(throwing)).subscribe({ complete: () => events.push('first') })
    safe$.subscribe({ next: (value) => events.push(String(value)), complete: () => events.push('second') })
    source$.next(1)
    source$.complete()
    expect(events).toEqual(['1', 'first', 'second'])
    await vi.waitFor(() => expect(reported).toHaveLength(1))
  })
})
