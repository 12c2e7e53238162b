import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { manualMarket } from '../../support/manual-market.js'
import { compiledPath, spawnNode } from '../../support/process/node-process.js'
import { describeUnless } from '../../support/run/skip.js'
import { startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'

interface Line {
  readonly _tag: string
  readonly price?: number
  readonly at?: number
}

const noSignals = process.platform === 'linux' ? undefined : 'needs SIGSTOP and /proc'

/** In ms: longer than the `maxLag` of the program. */
const pauseMs = 2500

/** Resolves when a time has passed. */
const elapsed = (ms: number): Promise<unknown> => {
  const start = performance.now()
  return eventually(() => performance.now() - start > ms)
}

describeUnless(noSignals)('an account in a process that is stopped while a price arrives', () => {
  it('does not fill an order with this price, and dates the next fill after the price that causes it', async () => {
    const market = manualMarket()
    const simulator = await startTestSimulator({ market })
    const { baseUrl, priceBaseUrl, priceWsUrl, authKey } = simulator
    const account = spawnNode([
      compiledPath('test/backtest/account/programs/trade-live.ts'),
      JSON.stringify({ baseUrl, priceBaseUrl, priceWsUrl, authKey }),
    ])
    const lines = (): readonly Line[] =>
      account.stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line)
    const received = (usd: number): boolean => lines().some(({ price }) => price === usd)
    /** Waits for so many further events of the account, one each second. */
    const equities = async (count: number): Promise<void> => {
      const before = lines().length
      const further = () =>
        lines()
          .slice(before)
          .filter(({ _tag }) => _tag === 'Equity')
      await eventually(() => expect(further().length, account.output).toBeGreaterThanOrEqual(count))
    }
    const fills = (): readonly Line[] => lines().filter(({ _tag }) => _tag === 'Filled')
    // Pings are answered after the order was decided: a price after them may be newer than the order.
    await equities(2)
    account.process.kill('SIGSTOP')
    await eventually(() =>
      readFileSync(`/proc/${account.process.pid}/stat`, 'utf8').split(') ').at(-1)!.startsWith('T'),
    )
    market.update({ price: 2400 })
    await elapsed(pauseMs)
    account.process.kill('SIGCONT')
    await eventually(() => expect(received(2400), account.output).toBe(true))
    // Several depths are received in that time.
    await equities(2)
    market.update({ price: 2450 })
    await eventually(() => expect(received(2450), account.output).toBe(true))
    expect(fills()).toEqual([])
    const sentAt = Date.now()
    market.update({ price: 2399 })
    await eventually(() => expect(fills(), account.output).toHaveLength(1))
    expect(fills()[0]!.at).toBeGreaterThanOrEqual(sentAt)
  })
})
