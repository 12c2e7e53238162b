import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { NEVER } from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import { Lifetime } from '../../src/client/lifetime.js'
import { clientClosed } from '../../src/base/errors/constructors.js'
import { completedTask, noCancel, type CancellableTask } from '../../src/base/task/cancellable-task.js'
import { marbles } from '../support/time/marbles.js'

const values: Readonly<Record<string, Either<string, number>>> = {
  '1': right(1),
  '2': right(2),
  e: left('e'),
}
const withClosed = { ...values, c: left(clientClosed) }

const closedLifetime = (): Lifetime => {
  const lifetime = new Lifetime()
  lifetime.close()
  return lifetime
}

describe('Lifetime.whileOpen$', () => {
  it('emits the values of the source until close, then completes', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const lifetime = new Lifetime()
      const source$ = cold('                               -1-e-2', values)
      cold('                                               ----x').subscribe(() => lifetime.close())
      expectObservable(lifetime.whileOpen$(source$)).toBe('-1-e|', values)
      expectSubscriptions(source$.subscriptions).toBe('    ^---!')
    })
  })

  it('completes when the source completes', () => {
    marbles(({ cold, expectObservable }) => {
      const source$ = cold('-1|', values)
      const expected = '    -1|'
      expectObservable(new Lifetime().whileOpen$(source$)).toBe(expected, values)
    })
  })

  it('emits ClientClosed and completes after close, without a subscription to the source', () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('1', values)
      expectObservable(closedLifetime().whileOpen$(source$)).toBe('(c|)', withClosed)
      expectSubscriptions(source$.subscriptions).toBe([])
    })
  })

  it('emits ClientClosed when it is closed between creation and subscription', () => {
    marbles(({ expectObservable }) => {
      const lifetime = new Lifetime()
      const source$ = lifetime.whileOpen$(NEVER)
      lifetime.close()
      expectObservable(source$).toBe('(c|)', withClosed)
    })
  })
})

describe('Lifetime.until$', () => {
  it('emits the values of the source until close, and is empty after close', () => {
    marbles(({ cold, expectObservable }) => {
      const lifetime = new Lifetime()
      const closing$ = cold(' ----x')
      const source$ = cold('  -1-e-2', values)
      const expected = '      -1-e|'
      const subscribedLate = '-----^'
      const expectedLate = '  -----|'
      closing$.subscribe(() => lifetime.close())
      expectObservable(lifetime.until$(source$)).toBe(expected, values)
      expectObservable(lifetime.until$(cold('1', values)), subscribedLate).toBe(expectedLate)
    })
  })
})

describe('Lifetime.once', () => {
  it('returns the result of the task', async () => {
    expect(await new Lifetime().once(completedTask(right(1)))()).toEqual(right(1))
  })

  it('runs the task on each call', async () => {
    let runs = 0
    const task = new Lifetime().once<never, number>((onResult) => {
      onResult(right(++runs))
      return noCancel
    })
    expect(runs).toBe(0)
    expect([await task(), await task()]).toEqual([right(1), right(2)])
  })

  it('returns ClientClosed and cancels the task on close', async () => {
    const lifetime = new Lifetime()
    const cancel = vi.fn()
    const running = lifetime.once(() => cancel)()
    lifetime.close()
    expect(await running).toEqual(left(clientClosed))
    expect(cancel).toHaveBeenCalledTimes(1)
  })

  it('keeps the first result of each task', async () => {
    const lifetime = new Lifetime()
    const resolvers: ((result: Either<string, number>) => void)[] = []
    const task: CancellableTask<Either<string, number>> = (onResult) => {
      resolvers.push(onResult)
      return noCancel
    }
    const [first, second, third] = [lifetime.once(task)(), lifetime.once(task)(), lifetime.once(task)()]
    resolvers[1]?.(right(2))
    lifetime.close()
    resolvers[0]?.(right(1))
    expect(await Promise.all([first, second, third])).toEqual([
      left(clientClosed),
      right(2),
      left(clientClosed),
    ])
  })

  it('returns ClientClosed and cancels the task when the start of the task closes the client', async () => {
    const lifetime = new Lifetime()
    const cancel = vi.fn()
    const running = lifetime.once(() => {
      lifetime.close()
      return cancel
    })()
    expect(await running).toEqual(left(clientClosed))
    expect(cancel).toHaveBeenCalledTimes(1)
  })

  it('returns ClientClosed after close, without running the task', async () => {
    const task = vi.fn(() => noCancel)
    expect(await closedLifetime().once(task)()).toEqual(left(clientClosed))
    expect(task).not.toHaveBeenCalled()
  })
})

describe('Lifetime.close', () => {
  it('does not throw when it is called twice', () => {
    const lifetime = closedLifetime()
    expect(() => lifetime.close()).not.toThrow()
  })
})
