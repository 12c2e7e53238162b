import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestSharer, type SharedRequest } from '../../../src/gateway/coalescing/request-sharer.js'
import { noCancel } from '../../../src/base/task/cancellable-task.js'
import { currentClock } from '../../../src/base/time/clock.js'
import { caseCount } from '../../support/run/long.js'
import { runInVirtualTime, type VirtualTime } from '../../support/time/virtual-time.js'
import { collectUnhandledErrors } from '../../support/unhandled-errors.js'

const minInterval = 250

const errors = collectUnhandledErrors()

const callAtOnce = (onTurn: () => void) => {
  onTurn()
  return noCancel
}

/** A sharer whose requests the test answers. The result of a request is its number, from 1. */
const createManualSharer = (interval = minInterval) => {
  const clock = currentClock()
  const sent: { readonly key: string; readonly at: number }[] = []
  const open = new Map<string, { readonly number: number; readonly answer: () => void }>()
  const limits = { maxWaiting: 1_000, whenSendable: callAtOnce }
  const requestSharer = new RequestSharer<number>({ ...limits, clock, refusal: -1 })
  const requestOf = (key: string): SharedRequest<number> => ({
    key,
    minInterval: interval,
    send: (onResult) => {
      expect(open.has(key), 'one request at a time').toBe(false)
      const number = sent.push({ key, at: clock.elapsed() })
      open.set(key, {
        number,
        answer: () => {
          open.delete(key)
          onResult(number)
        },
      })
    },
  })
  const sharer = {
    /** A request of a consumer of its own. */
    request: (key: string) => requestSharer.request(requestOf(key), { consumer: {}, group: 'a' }),
    close: () => requestSharer.close(),
    get size() {
      return requestSharer.size
    },
  }
  return { sharer, sent, open, answer: (key: string) => open.get(key)?.answer() }
}

type ManualSharer = ReturnType<typeof createManualSharer>

const run = (scenario: (sharer: ManualSharer, time: VirtualTime) => void, interval?: number): number =>
  runInVirtualTime((time) => scenario(createManualSharer(interval), time))

describe('a shared request', () => {
  it('is sent at once, and answers all who came before its response', () => {
    run(({ sharer, sent, answer }, { at }) => {
      const results: number[] = []
      const ask = () => sharer.request('a')((result) => results.push(result))
      ask()
      at(100, ask)
      at(1_000, ask)
      at(2_000, () => answer('a'))
      at(2_001, () => {
        expect(sent).toEqual([{ key: 'a', at: 0 }])
        expect(results).toEqual([1, 1, 1])
      })
    })
  })

  it('waits until the interval since the start of the previous one has passed', () => {
    run(({ sharer, sent, answer }, { at }) => {
      const results: number[] = []
      const ask = () => sharer.request('a')((result) => results.push(result))
      ask()
      at(10, () => answer('a'))
      at(20, ask)
      at(249, ask)
      at(260, () => answer('a'))
      at(270, () => {
        expect(sent.map((each) => each.at)).toEqual([0, 250])
        expect(results).toEqual([1, 2, 2])
      })
    })
  })

  it('is sent at once after the interval has passed', () => {
    run(({ sharer, sent, answer }, { at }) => {
      sharer.request('a')(() => undefined)
      at(10, () => answer('a'))
      at(251, () => sharer.request('a')(() => undefined))
      at(252, () => expect(sent.map((each) => each.at)).toEqual([0, 251]))
    })
  })

  it('does not delay requests of another key', () => {
    run(({ sharer, sent }) => {
      sharer.request('a')(() => undefined)
      sharer.request('b')(() => undefined)
      expect(sent.map(({ key }) => key)).toEqual(['a', 'b'])
    })
  })

  it('is not sent if all who wait for it leave', () => {
    const pending = run(({ sharer, sent, answer }, { at }) => {
      sharer.request('a')(() => undefined)
      at(1, () => answer('a'))
      at(2, () => {
        const leave = [1, 2].map(() => sharer.request('a')(() => expect.unreachable()))
        at(3, () => leave.forEach((each) => each()))
      })
      at(1_000, () => {
        expect(sent).toHaveLength(1)
        expect(sharer.size).toBe(0)
      })
    })
    expect(pending).toBe(0)
  })

  it('is not answered to one who left', () => {
    run(({ sharer, answer }) => {
      const results: string[] = []
      const leave = sharer.request('a')(() => results.push('left'))
      sharer.request('a')(() => results.push('stayed'))
      leave()
      answer('a')
      expect(results).toEqual(['stayed'])
    })
  })

  it('does not answer a consumer that asks inside the callback of another', () => {
    run(({ sharer, sent, answer }, { at }) => {
      const results: number[] = []
      sharer.request('a')(() => sharer.request('a')((result) => results.push(result)))
      answer('a')
      at(1, () => expect(results).toEqual([]))
      at(251, () => answer('a'))
      at(252, () => {
        expect(sent).toHaveLength(2)
        expect(results).toEqual([2])
      })
    })
  })

  it('answers the others if the callback of one throws', () => {
    const thrown = new Error('thrown by a consumer')
    run(({ sharer, answer }, { at }) => {
      const results: number[] = []
      sharer.request('a')(() => {
        throw thrown
      })
      sharer.request('a')((result) => results.push(result))
      answer('a')
      at(1, () => expect(results).toEqual([1]))
    })
    expect(errors).toEqual([thrown])
  })

  it('leaves no timer after close', () => {
    const pending = run(({ sharer, answer }) => {
      sharer.request('a')(() => undefined)
      answer('a')
      sharer.request('a')(() => expect.unreachable())
      sharer.request('b')(() => expect.unreachable())
      sharer.close()
      answer('b')
      expect(sharer.size).toBe(0)
    })
    expect(pending).toBe(0)
  })

  it('is not sent after close, while the last one of its key is running', () => {
    run(({ sharer, sent, answer }) => {
      const results: number[] = []
      sharer.request('a')((result) => results.push(result))
      sharer.close()
      for (const key of ['a', 'b']) sharer.request(key)((result) => results.push(result))
      answer('a')
      expect(sent).toHaveLength(1)
      expect(results).toEqual([])
      expect(sharer.size).toBe(0)
    })
  })

  it('is not delayed without an interval', () => {
    run(({ sharer, sent, answer }) => {
      sharer.request('a')(() => undefined)
      answer('a')
      sharer.request('a')(() => undefined)
      expect(sent).toHaveLength(2)
    }, 0)
  })
})

describe('any sequence of requests, responses and departures', () => {
  type Step = { readonly wait: number; readonly key: 'a' | 'b' } & (
    { readonly kind: 'ask' } | { readonly kind: 'answer' } | { readonly kind: 'leave'; readonly who: number }
  )
  const step: fc.Arbitrary<Step> = fc
    .tuple(
      fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 300 })),
      fc.constantFrom('a' as const, 'b' as const),
      fc.oneof(
        { weight: 3, arbitrary: fc.constant({ kind: 'ask' as const }) },
        { weight: 2, arbitrary: fc.constant({ kind: 'answer' as const }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), who: fc.nat(5) }) },
      ),
    )
    .map(([wait, key, action]) => ({ wait, key, ...action }))

  interface Consumer {
    readonly key: string
    readonly cameAt: number
    /** The number of requests that were complete when the consumer came. */
    readonly completeBefore: ReadonlySet<number>
    readonly leave: () => void
    hasLeft: boolean
    readonly results: number[]
  }

  /** Checks the guarantees after the steps, once every open request is answered. */
  const check = (steps: readonly Step[]): void => {
    const pending = run((manual, time) => {
      const { sharer, sent, open, answer } = manual
      const consumers: Consumer[] = []
      const complete = new Set<number>()
      const answerOpen = (key: string): void => {
        const number = open.get(key)?.number
        // Before the callbacks: a consumer that one of them adds must not receive it.
        if (number !== undefined) complete.add(number)
        answer(key)
      }
      const waits = (key: string): boolean =>
        consumers.some((each) => each.key === key && !each.hasLeft && each.results.length === 0)
      const actions = {
        ask: ({ key }: Step) => {
          const results: number[] = []
          const leave = sharer.request(key)((result) => results.push(result))
          consumers.push({
            key,
            cameAt: time.now(),
            completeBefore: new Set(complete),
            leave,
            hasLeft: false,
            results,
          })
        },
        answer: ({ key }: Step) => answerOpen(key),
        leave: (leaving: Step) => {
          const consumer = leaving.kind === 'leave' ? consumers[leaving.who] : undefined
          if (consumer === undefined) return
          consumer.leave()
          consumer.hasLeft ||= consumer.results.length === 0
        },
      }
      let now = 0
      for (const each of steps) {
        now += each.wait
        time.at(now, () => {
          const sentBefore = sent.length
          actions[each.kind](each)
          // A request is sent only if a consumer waits for it.
          for (const { key } of sent.slice(sentBefore)) expect(waits(key)).toBe(true)
          // A consumer that waits has a request in progress, unless one was sent within the interval. If this step is at the
          // end of the interval, the timer of the next request may fire after it.
          const last = sent.findLast(({ key }) => key === each.key)
          const isDue = last === undefined || time.now() - last.at > minInterval
          if (waits(each.key) && isDue) expect(open.has(each.key)).toBe(true)
        })
      }
      const settle = (round: number): void => {
        for (const key of [...open.keys()]) answerOpen(key)
        if (round > 0) time.after(minInterval, () => settle(round - 1))
      }
      time.at(now + 1, () => settle(3))
      time.at(now + 10 * minInterval, () => {
        for (const { results, hasLeft, completeBefore, key } of consumers) {
          expect(results).toHaveLength(hasLeft ? 0 : 1)
          for (const result of results) {
            expect(sent[result - 1]!.key).toBe(key)
            expect(completeBefore.has(result)).toBe(false)
          }
        }
        for (const key of ['a', 'b']) {
          const starts = sent.filter((each) => each.key === key).map((each) => each.at)
          starts
            .slice(1)
            .forEach((at, index) => expect(at - starts[index]!).toBeGreaterThanOrEqual(minInterval))
        }
        expect(sharer.size).toBe(0)
      })
    })
    expect(pending).toBe(0)
  }

  it('keeps the distance, answers each consumer once, and never with a response from before', () => {
    fc.assert(fc.property(fc.array(step, { maxLength: 40 }), check), { numRuns: caseCount(3_000) })
  })
})
