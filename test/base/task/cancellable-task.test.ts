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
      const source$ = cold('                            --a--b')
      expectObservable(fromTask$(cancellableTaskOf(source$))).toBe('     --(a|)')
      expectObservable(fromTask$(cancellableTaskOf(source$)), '---^').toBe('-----(a|)')
      expectSubscriptions(source$.subscriptions).toBe(['^-!', '---^-!'])
    })
  })

  it('cancels the task on unsubscribe', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('                       ----a')
      expectObservable(fromTask$(cancellableTaskOf(source$)), '     ^-!').toBe('---')
      expectSubscriptions(source$.subscriptions).toBe(['^-!'])
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
