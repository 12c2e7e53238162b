import { describe, expect, it, vi } from 'vitest'
import { fromTask$, completedTask, noCancel, type CancellableTask } from '../../src/task/cancellable-task.js'
import { marbles } from '../support/marbles.js'
import { askOf } from '../support/run-task.js'

describe('a question as a stream', () => {
  it('is its answer, then completion, asked on each subscription', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('                            --a--b')
      expectObservable(fromTask$(askOf(source$))).toBe('     --(a|)')
      expectObservable(fromTask$(askOf(source$)), '---^').toBe('-----(a|)')
      expectSubscriptions(source$.subscriptions).toBe(['^-!', '---^-!'])
    })
  })

  it('is taken back by who leaves before the answer', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('                       ----a')
      expectObservable(fromTask$(askOf(source$)), '     ^-!').toBe('---')
      expectSubscriptions(source$.subscriptions).toBe(['^-!'])
    })
  })

  it('may be answered at once', () => {
    marbles(({ expectObservable }) => expectObservable(fromTask$(completedTask('a'))).toBe('(a|)'))
  })

  it('asks nothing before it is subscribed to', () => {
    const ask: CancellableTask<string> = vi.fn(() => noCancel)
    void fromTask$(ask)
    expect(ask).not.toHaveBeenCalled()
  })
})
