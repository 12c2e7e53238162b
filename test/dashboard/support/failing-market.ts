import { interval } from 'rxjs'
import type { Client } from 'svc-streams'
import { onTestFinished } from 'vitest'
import { TestMarket } from './test-market.js'

/**
 * A client of a market that has one of the faults for 8 s after each 2 s, in turn. Its prices are the times of day at which they
 * were sent, in s.
 */
export const runFailingMarket = (...faults: readonly ((market: TestMarket) => void)[]): Client => {
  const market = new TestMarket()
  const running = interval(100).subscribe((count) => {
    const step = count % 100
    const usd = (Date.now() % 86_400_000) / 1000
    if (step === 20) faults[Math.floor(count / 100) % faults.length]?.(market)
    if (step === 0) market.connect()
    if (step < 20) {
      market.sendEth(usd)
      market.sendBtc(usd)
    }
  })
  onTestFinished(() => running.unsubscribe())
  return market.client
}

export const lose = (market: TestMarket): void => market.disconnect('reset')
