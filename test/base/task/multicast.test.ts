import fc from 'fast-check'
import { Subject, type Observable, type Observer, type Subscription } from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import { Multicast } from '../../../src/base/task/multicast.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'

type Step =
  | { readonly _tag: 'Join' | 'Next' | 'Complete' | 'Error' }
  | { readonly _tag: 'Leave'; readonly index: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ _tag: 'Join' } as const) },
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant('Leave' as const), index: fc.nat(8) }) },
  { weight: 4, arbitrary: fc.constant({ _tag: 'Next' } as const) },
  { weight: 1, arbitrary: fc.constantFrom({ _tag: 'Complete' } as const, { _tag: 'Error' } as const) },
)

/** Runs steps, and inside each delivery the next reaction. Returns what each subscriber received, in order. */
const run = (
  stream: Observable<number> & Observer<number>,
  steps: readonly Step[],
  reactions: readonly Step[],
): readonly string[] => {
  const received: string[] = []
  const subscriptions: Subscription[] = []
  const pending = [...reactions]
  let joined = 0
  let value = 0
  const onEvent = (text: string): void => {
    received.push(text)
    const reaction = pending.shift()
    if (reaction !== undefined) act(reaction)
  }
  const act = (one: Step): void => {
    if (one._tag === 'Join') {
      const id = joined++
      const subscription = stream.subscribe({
        next: (each) => onEvent(`${id} next ${each}`),
        complete: () => onEvent(`${id} complete`),
        error: () => onEvent(`${id} error`),
      })
      subscriptions.push(subscription)
    } else if (one._tag === 'Leave') subscriptions[one.index]?.unsubscribe()
    else if (one._tag === 'Next') stream.next(++value)
    else if (one._tag === 'Complete') stream.complete()
    else stream.error('failed')
  }
  steps.forEach(act)
  return received
}

describe('a Multicast', () => {
  const reported = collectUnhandledErrors()

  it('notifies like a Subject, for any order of joins, leaves, values and ends, also inside a notification', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.array(step, { maxLength: 12 }),
        (steps, reactions) => {
          expect(run(new Multicast(), steps, reactions)).toEqual(run(new Subject(), steps, reactions))
        },
      ),
    )
  })

  it('searches no array when a subscriber leaves', () => {
    const multicast = new Multicast<number>()
    const subscriptions = Array.from({ length: 1000 }, () => multicast.subscribe())
    const { indexOf } = Array.prototype
    let longest = 0
    // Measured at the call, because the array is shorter afterwards.
    const spy = vi.spyOn(Array.prototype, 'indexOf').mockImplementation(function (this: unknown[], ...args) {
      longest = Math.max(longest, this.length)
      return indexOf.apply(this, args)
    })
    subscriptions.forEach((subscription) => subscription.unsubscribe())
    spy.mockRestore()
    expect(longest).toBeLessThan(10)
  })

  it('completes all subscribers when the teardown of one throws', async () => {
    const multicast = new Multicast<number>()
    const complete = vi.fn()
    multicast.subscribe({ complete }).add(() => {
      throw new Error('teardown')
    })
    multicast.subscribe({ complete })
    multicast.complete()
    expect(complete).toHaveBeenCalledTimes(2)
    await vi.waitFor(() => expect(reported).toHaveLength(1))
  })
})
