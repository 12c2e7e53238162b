import { afterEach, describe, expect, it, vi } from 'vitest'
import { promiseDrain } from '../../../src/backtest/replay/promise-drain.js'

const { setImmediate } = globalThis

afterEach(() => void vi.unstubAllGlobals())

describe('promiseDrain', () => {
  const inMacrotask = <A>(work: () => A): Promise<A> =>
    new Promise((resolve) => setImmediate(() => resolve(work())))

  it('settles ticks, microtasks and chains of promises before it returns, also of an earlier promise', async () => {
    const log: string[] = []
    let resolveEarlier: (value: Promise<void>) => void = () => undefined
    void new Promise<void>((resolve) => (resolveEarlier = resolve)).then(() => log.push('earlier'))
    const other = Promise.resolve()
    const chain = async (): Promise<void> => {
      for (let link = 0; link < 1000; link++) await Promise.resolve()
      process.nextTick(() => log.push('tick after the chain'))
    }
    await inMacrotask(() => {
      const drain = promiseDrain()
      process.nextTick(() => log.push('tick'))
      queueMicrotask(() => log.push('microtask'))
      resolveEarlier(other)
      void chain()
      drain?.()
      return log.slice()
    }).then((settled) => expect(settled).toEqual(['tick', 'microtask', 'earlier', 'tick after the chain']))
  })

  it('is undefined inside of a callback of a promise, and on a runtime without it', async () => {
    await Promise.resolve()
    expect(promiseDrain()).toBeUndefined()
    const bun = { nextTick: process.nextTick.bind(process), _tickCallback: () => undefined }
    for (const given of [undefined, bun]) {
      const drain = await inMacrotask(() => {
        vi.stubGlobal('process', given)
        const result = promiseDrain()
        vi.unstubAllGlobals()
        return { result }
      })
      expect(drain).toEqual({ result: undefined })
    }
  })
})
