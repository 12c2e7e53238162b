import { concat, defer, firstValueFrom, ignoreElements, Observable, repeat, Subject, take, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { withAtOnceLimit$ } from '../../../src/base/time/at-once-limit.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

const now = (): number => performance.now()

/** Blocks the event loop for `ms` ms. */
const block = (ms: number): void => {
  for (const start = now(); now() - start < ms;);
}

/** A source that fails at once until `recover`. It counts its subscriptions, and those that are open. */
const createSource = () => {
  const events$ = new Subject<string>()
  const state = { event: 'failure', subscriptions: 0, open: 0 }
  const source$ = new Observable<string>((subscriber) => {
    state.subscriptions++
    state.open++
    subscriber.add(() => state.open--)
    subscriber.next(state.event)
    return events$.subscribe(subscriber)
  })
  return { state, events$, limited$: withAtOnceLimit$(source$, () => state.event === 'failure') }
}

describe('a source with a limit of the subscriptions that end at once', () => {
  it.each([
    ['repeats', 0],
    ['takes 2 ms before each subscription', 2],
  ])('leaves time to others if a pipeline %s', async (_, ms) => {
    const { state, limited$ } = createSource()
    const endless$ = defer(() => {
      block(ms)
      return limited$
    }).pipe(take(1), repeat())
    const subscription = endless$.subscribe()
    expect(state.subscriptions).toBe(101)
    await firstValueFrom(timer(150))
    expect(state.subscriptions).toBeGreaterThan(102)
    subscription.unsubscribe()
    expect(state.open).toBe(0)
  })

  it('leaves time to others if a program subscribes in a loop of promises', async () => {
    const { limited$ } = createSource()
    let hasTime = false as boolean
    const waiting = firstValueFrom(timer(0)).then(() => (hasTime = true))
    for (let turn = 0; turn < 10_000 && !hasTime; turn++) await firstValueFrom(limited$)
    expect(hasTime).toBe(true)
    await waiting
  })

  it('delays each further event by 100 ms, until a second has passed without one', () => {
    const times: number[] = []
    runInVirtualTime(({ now, at }) => {
      const { limited$ } = createSource()
      const subscribe = (count: number) =>
        limited$.pipe(take(1), repeat(count)).subscribe(() => times.push(now()))
      subscribe(103)
      at(1100, () => subscribe(1))
      at(2500, () => subscribe(1))
    })
    expect(times).toEqual([...Array.from({ length: 100 }, () => 0), 100, 200, 300, 1200, 2500])
  })

  it('passes a newer event at once, instead of the first event', () => {
    const lines: string[] = []
    const { state, events$, limited$ } = createSource()
    runInVirtualTime(({ now, at }) => {
      const note = (event: string): void => void lines.push(`${now()} ${event}`)
      // After the third delay, at 300 ms: the first event would come at 400 ms.
      concat(limited$.pipe(take(1), repeat(103), ignoreElements()), limited$).subscribe(note)
      at(304, () => {
        expect(lines).toEqual([])
        events$.next('newer')
      })
    })
    expect(lines).toEqual(['304 newer'])
    expect(state.open).toBe(1)
  })

  it('does not limit subscriptions to a source that has a value', () => {
    const { state, limited$ } = createSource()
    state.event = 'value'
    limited$.pipe(take(1), repeat(1000)).subscribe()
    expect(state.subscriptions).toBe(1000)
  })
})
