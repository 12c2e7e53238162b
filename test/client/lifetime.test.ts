import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { NEVER } from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import { Lifetime } from '../../src/client/lifetime.js'
import { clientClosed } from '../../src/errors/constructors.js'
import { completedTask, noCancel, type CancellableTask } from '../../src/task/cancellable-task.js'
import { marbles } from '../support/marbles.js'

const values: Readonly<Record<string, Either<string, number>>> = {
  '1': right(1),
  '2': right(2),
  e: left('e'),
}
const withClosed = { ...values, c: left(clientClosed) }

const ended = (): Lifetime => {
  const lifetime = new Lifetime()
  lifetime.close()
  return lifetime
}

describe('a stream that is whileOpen$', () => {
  it('is what it is until the end, which completes it', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const lifetime = new Lifetime()
      const source$ = cold('                               -1-e-2', values)
      cold('                                               ----x').subscribe(() => lifetime.close())
      expectObservable(lifetime.whileOpen$(source$)).toBe('-1-e|', values)
      expectSubscriptions(source$.subscriptions).toBe('    ^---!')
    })
  })

  it('may complete by itself', () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(new Lifetime().whileOpen$(cold('-1|', values))).toBe('-1|', values)
    })
  })

  it('is `ClientClosed`, then completion, after the end; its source is left alone', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('1', values)
      expectObservable(ended().whileOpen$(source$)).toBe('(c|)', withClosed)
      expectSubscriptions(source$.subscriptions).toBe([])
    })
  })

  it('asks whether it is the end when it is subscribed to, not when it is made', () => {
    marbles(({ expectObservable }) => {
      const lifetime = new Lifetime()
      const source$ = lifetime.whileOpen$(NEVER)
      lifetime.close()
      expectObservable(source$).toBe('(c|)', withClosed)
    })
  })
})

describe('a stream that is until$', () => {
  it('is what it is until the end, and nothing after it', () => {
    marbles(({ cold, expectObservable }) => {
      const lifetime = new Lifetime()
      cold('                                          ----x').subscribe(() => lifetime.close())
      expectObservable(lifetime.until$(cold('         -1-e-2', values))).toBe('-1-e|', values)
      expectObservable(lifetime.until$(cold('1', values)), '-----^').toBe('-----|')
    })
  })
})

describe('a task', () => {
  it('is the answer', async () => {
    expect(await new Lifetime().once(completedTask(right(1)))()).toEqual(right(1))
  })

  it('asks when it is run, on each run', async () => {
    let asked = 0
    const task = new Lifetime().once<never, number>((answered) => {
      answered(right(++asked))
      return noCancel
    })
    expect(asked).toBe(0)
    expect([await task(), await task()]).toEqual([right(1), right(2)])
  })

  it('that the end overtakes is `ClientClosed`, and takes its question back', async () => {
    const lifetime = new Lifetime()
    const takeBack = vi.fn()
    const running = lifetime.once(() => takeBack)()
    lifetime.close()
    expect(await running).toEqual(left(clientClosed))
    expect(takeBack).toHaveBeenCalledTimes(1)
  })

  it('is over for good once it is answered: the end takes nothing back', async () => {
    const lifetime = new Lifetime()
    const takeBack = vi.fn()
    const answers: ((answer: Either<string, number>) => void)[] = []
    const ask: CancellableTask<Either<string, number>> = (answered) => {
      answers.push(answered)
      return takeBack
    }
    const [first, second, third] = [lifetime.once(ask)(), lifetime.once(ask)(), lifetime.once(ask)()]
    answers[1]?.(right(2))
    lifetime.close()
    answers[0]?.(right(1))
    expect(await Promise.all([first, second, third])).toEqual([
      left(clientClosed),
      right(2),
      left(clientClosed),
    ])
    expect(takeBack).toHaveBeenCalledTimes(2)
  })

  it('takes its question back where the end comes while it is asked', async () => {
    const lifetime = new Lifetime()
    const takeBack = vi.fn()
    const running = lifetime.once(() => {
      lifetime.close()
      return takeBack
    })()
    expect(await running).toEqual(left(clientClosed))
    expect(takeBack).toHaveBeenCalledTimes(1)
  })

  it('is `ClientClosed` after the end, and asks nothing', async () => {
    const ask = vi.fn(() => noCancel)
    expect(await ended().once(ask)()).toEqual(left(clientClosed))
    expect(ask).not.toHaveBeenCalled()
  })
})

describe('the end', () => {
  it('may come twice', () => {
    const lifetime = ended()
    expect(() => lifetime.close()).not.toThrow()
  })
})
