import { left } from 'fp-ts/lib/Either.js'
import { networkError } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { MintBackoffs } from '../../../src/client/depth/mint-backoffs.js'
import { rxClock } from '../../../src/base/time/clock.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

const failure = left(networkError(new Error('refused')))
const policy = { initialDelay: 250, maxDelay: 30_000 }

describe('MintBackoffs', () => {
  it('keeps only the mints that failed lately, while 100 000 mints fail and lose their polls', () => {
    const perSecond = 100
    const seconds = 1000
    let largest = 0
    runInVirtualTime(
      ({ after }) => {
        const backoffs = new MintBackoffs(rxClock, policy)
        const second = (number: number): void => {
          for (let each = 0; each < perSecond; each++) {
            const mint = `0x${(number * perSecond + each).toString(16)}` as const
            const backoff = backoffs.acquire(mint)
            backoff.onResult(failure)
            backoffs.release(mint, backoff)
          }
          largest = Math.max(largest, backoffs.size)
          if (number < seconds) after(1000, () => second(number + 1))
        }
        second(1)
      },
      { endsAt: seconds * 1000 },
    )
    // Remembered for 30 s after the wait, and removed by a scan at most 30 s later.
    expect(largest).toBeLessThan(62 * perSecond)
  })

  it('keeps no mint without failures', () => {
    const backoffs = new MintBackoffs(rxClock, policy)
    for (let each = 0; each < 1000; each++) backoffs.release(`0x${each}`, backoffs.acquire(`0x${each}`))
    expect(backoffs.size).toBe(0)
  })

  it('keeps a mint with polls, however long ago it failed', () => {
    runInVirtualTime(({ at }) => {
      const backoffs = new MintBackoffs(rxClock, policy)
      const backoff = backoffs.acquire('0xaa')
      backoff.onResult(failure)
      at(500_000, () => {
        const other = backoffs.acquire('0xbb')
        backoffs.release('0xbb', other)
        expect(backoffs.acquire('0xAA')).toBe(backoff)
        expect(backoff.failures).toBe(1)
      })
    })
  })
})
