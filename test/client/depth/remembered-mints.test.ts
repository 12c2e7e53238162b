import { NEVER, of, take } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { pollsOf, results } from './support/polls.js'

const failure = results['f']!

describe('the polls of a client', () => {
  it('keep only the mints that failed lately, while 20 000 mints fail and lose their polls', () => {
    const perSecond = 100
    const seconds = 200
    let largest = 0
    runInVirtualTime(
      ({ after }) => {
        const polls = pollsOf(() => of(failure), { linger: 0 })
        const second = (number: number): void => {
          for (let each = 0; each < perSecond; each++) {
            const mint = `0x${(number * perSecond + each).toString(16)}` as const
            polls.depth$(mint, 1000).pipe(take(1)).subscribe()
          }
          largest = Math.max(largest, polls.mintCount)
          if (number < seconds) after(1000, () => second(number + 1))
        }
        second(1)
      },
      { endsAt: seconds * 1000 },
    )
    expect(largest).toBeGreaterThan(30 * perSecond)
    // Remembered for 30 s after the wait, and removed by a scan at most 30 s later.
    expect(largest).toBeLessThan(62 * perSecond)
  })

  it('keep no mint without failures', () => {
    const polls = pollsOf(() => NEVER, { linger: 0 })
    for (let each = 0; each < 1000; each++) polls.depth$(`0x${each}`, 1000).subscribe().unsubscribe()
    expect(polls.mintCount).toBe(0)
  })

  it('keep a mint with polls, however long ago it failed', () => {
    runInVirtualTime(({ at }) => {
      const answers = [of(failure), NEVER]
      const polls = pollsOf((mint) => (mint === '0xbb' ? of(failure) : (answers.shift() ?? NEVER)), {
        linger: 0,
      })
      const poll = polls.depth$('0xaa', 1000).subscribe()
      at(500_000, () => {
        polls.depth$('0xbb', 1000).pipe(take(1)).subscribe()
        polls.depth$('0xAA', 2000).subscribe().unsubscribe()
        expect(polls.mintCount).toBe(2)
        expect(polls.snapshot()).toMatchObject([{ mint: '0xaa', lastResult: 'NetworkError' }])
        poll.unsubscribe()
        expect(polls.mintCount).toBe(1)
      })
    })
  })
})
