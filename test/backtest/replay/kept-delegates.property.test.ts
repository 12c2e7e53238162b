import fc from 'fast-check'
import { asapScheduler, asyncScheduler, delay, queueScheduler, type Subscription } from 'rxjs'
import { TestScheduler } from 'rxjs/testing'
import { expect, it } from 'vitest'
import {
  activeContext,
  keepDelegates,
  realContext,
  runInContext,
  type RxContext,
} from '../../../src/backtest/replay/rx-context.js'
import { rxClock } from '../../../src/base/time/rx-clock.js'
import { VirtualTime } from '../../../src/backtest/replay/virtual-time.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { currentDelegates, unusedDelegates } from '../../support/time/unused-delegates.js'

const schedulers = { asap: asapScheduler, async: asyncScheduler, queue: queueScheduler }

type Step =
  /** In the real context, or in that of a clock. */
  | { readonly kind: 'within'; readonly context: number; readonly steps: readonly Step[] }
  | {
      readonly kind: 'schedule'
      readonly scheduler: keyof typeof schedulers
      readonly steps: readonly Step[]
    }
  | { readonly kind: 'cancel'; readonly action: number }
  | { readonly kind: 'advance'; readonly clock: number; readonly ms: number }
  | { readonly kind: 'test scheduler' }

const { steps } = fc.letrec<{ steps: readonly Step[] }>((tie) => ({
  steps: fc.array(
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ kind: fc.constant('cancel' as const), action: fc.nat(9) }),
      fc.record({ kind: fc.constant('advance' as const), clock: fc.nat(1), ms: fc.nat(5) }),
      fc.record({ kind: fc.constant('test scheduler' as const) }),
      fc.record({ kind: fc.constant('within' as const), context: fc.nat(2), steps: tie('steps') }),
      fc.record({
        kind: fc.constant('schedule' as const),
        scheduler: fc.constantFrom('asap', 'async', 'queue'),
        steps: tie('steps'),
      }),
    ),
    { maxLength: 6 },
  ),
}))

/** What the steps observe: the clock and the context of each one, and of each action. */
const observedBy = async (
  steps: readonly Step[],
  within: (work: () => void) => void,
): Promise<readonly string[]> => {
  const clocks = [new VirtualTime(1000), new VirtualTime(2000)]
  const log: string[] = []
  const actions: Subscription[] = []
  const contexts: RxContext[] = []
  /** The actions in real time that have neither run nor been cancelled. */
  const waiting = new Set<number>()
  const observe = (text: string): void => {
    const time = rxClock.isVirtual ? rxClock.wallClock() : 'now'
    log.push(`${text} at ${time}, ${clocks.map(({ isActive }) => isActive).join()}`)
  }
  const isVirtual = (): boolean => clocks.some(({ isActive }) => isActive)
  let running = 0
  const play = (each: readonly Step[]): void => each.forEach(playStep)
  const playStep = (step: Step): void => {
    observe(step.kind)
    if (step.kind === 'within') {
      const clock = clocks[step.context]
      if (clock === undefined) runInContext(realContext, () => play(step.steps))
      else clock.run(() => play(step.steps))
    } else if (step.kind === 'schedule') {
      const number = actions.length
      // Real timers have no exact order.
      const scheduler = step.scheduler === 'async' && !isVirtual() ? 'asap' : step.scheduler
      if (!isVirtual()) waiting.add(number)
      contexts[number] = activeContext()
      actions[number] = schedulers[scheduler].schedule(() => {
        waiting.delete(number)
        observe(`action ${number}`)
        running++
        play(step.steps)
        running--
      })
    } else if (step.kind === 'cancel') {
      // RxJS finds the queue of an action only in its context.
      if (contexts[step.action] !== activeContext()) return
      actions[step.action]?.unsubscribe()
      waiting.delete(step.action)
    }
    // A strategy does not move its clock.
    else if (step.kind === 'advance' && running === 0)
      clocks[step.clock]?.advance(1000 * (step.clock + 1) + step.ms)
    // It would run the pending actions, and another one inside of it never ends.
    else if (step.kind === 'test scheduler' && actions.length === 0 && !isVirtual())
      new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
        ({ cold, expectObservable }) => {
          clocks[0]?.run(() => observe('inside of a TestScheduler'))
          observe('inside of a TestScheduler')
          expectObservable(cold('a|').pipe(delay(1))).toBe('-(a|)')
        },
      )
    observe(`after ${step.kind}`)
  }
  within(() => {
    play(steps)
    observe('end')
  })
  expect(currentDelegates().date).toBeUndefined()
  play(steps)
  while (waiting.size > 0) await nextTurn()
  for (const clock of clocks) {
    clock.advance(3000)
    clock.dispose()
  }
  expect(currentDelegates()).toEqual(unusedDelegates)
  return log
}

it('keeps the delegates of all contexts without an effect on any action', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (each) => {
      expect(await observedBy(each, keepDelegates)).toEqual(await observedBy(each, (work) => work()))
    }),
    { numRuns: 300 },
  )
})
