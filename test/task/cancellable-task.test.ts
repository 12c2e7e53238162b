import { describe, expect, it, vi } from 'vitest'
import { ask$, known, nothing, type Ask } from '../../src/task/cancellable-task.js'
import { marbles } from '../support/marbles.js'
import { askOf } from '../support/run-task.js'

describe('a question as a stream', () => {
  it('is its answer, then completion, asked on each subscription', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('                            --a--b')
      expectObservable(ask$(askOf(source$))).toBe('     --(a|)')
      expectObservable(ask$(askOf(source$)), '---^').toBe('-----(a|)')
      expectSubscriptions(source$.subscriptions).toBe(['^-!', '---^-!'])
    })
  })

  it('is taken back by who leaves before the answer', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('                       ----a')
      expectObservable(ask$(askOf(source$)), '     ^-!').toBe('---')
      expectSubscriptions(source$.subscriptions).toBe(['^-!'])
    })
  })

  it('may be answered at once', () => {
    marbles(({ expectObservable }) => expectObservable(ask$(known('a'))).toBe('(a|)'))
  })

  it('asks nothing before it is subscribed to', () => {
    const ask: Ask<string> = vi.fn(() => nothing)
    void ask$(ask)
    expect(ask).not.toHaveBeenCalled()
  })
})
