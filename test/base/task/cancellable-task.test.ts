import { describe, expect, it, vi } from 'vitest'
import {
  fromTask$,
  completedTask,
  noCancel,
  type CancellableTask,
} from '../../../src/base/task/cancellable-task.js'
import { marbles } from '../../support/time/marbles.js'
import { cancellableTaskOf } from '../../support/cancellable-task.js'

describe('fromTask$', () => {
  it('runs the task on each subscription, emits its result and completes', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('  --a--b')
      const expected = '      --(a|)'
      const subscribedLate = '---^'
      const expectedLate = '  -----(a|)'
      const first = '         ^-!'
      const second = '        ---^-!'
      expectObservable(fromTask$(cancellableTaskOf(source$))).toBe(expected)
      expectObservable(fromTask$(cancellableTaskOf(source$)), subscribedLate).toBe(expectedLate)
      expectSubscriptions(source$.subscriptions).toBe([first, second])
    })
  })

  it('cancels the task on unsubscribe', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('----a')
      const subscribed = '  ^-!'
      const expected = '    ---'
      expectObservable(fromTask$(cancellableTaskOf(source$)), subscribed).toBe(expected)
      expectSubscriptions(source$.subscriptions).toBe(subscribed)
    })
  })

  it('emits the result of a completed task synchronously', () => {
    marbles(({ expectObservable }) => expectObservable(fromTask$(completedTask('a'))).toBe('(a|)'))
  })

  it('does not run the task before subscription', () => {
    const task: CancellableTask<string> = vi.fn(() => noCancel)
    void fromTask$(task)
    expect(task).not.toHaveBeenCalled()
  })
})
