import { left, right } from 'fp-ts/lib/Either.js'
import { firstValueFrom, from, of } from 'rxjs'
import type { PastEvent } from 'svc-streams/history'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readPastSamples$ } from '../../../src/dashboard/model/past-samples.js'
import { networkError } from '../../../src/errors/constructors.js'
import { ethTopic as topic } from '../../support/tokens.js'
import { historyOf, past } from '../support/history.js'

const now = Date.UTC(2026, 10, 22, 10)

const read = (events: readonly PastEvent[]) => {
  vi.useFakeTimers({ now, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  return firstValueFrom(readPastSamples$(historyOf(from(events.map(right))), topic, 60_000, 500))
}

const gap = (start: number, end: number): PastEvent => ({
  _tag: 'Gap',
  topic,
  from: start,
  to: end,
  cause: 'disconnected',
})

describe('the samples of a history', () => {
  it('are its prices in the window, and its gaps', async () => {
    const samples = await read([
      gap(now - 60_000, now - 50_000),
      past(now - 50_000, 10),
      gap(now - 40_000, now - 30_000),
      past(now - 30_000, 11),
    ])
    expect(samples).toEqual(
      right({
        times: [now - 50_000, now - 40_000, now - 39_999, now - 30_000, now],
        prices: [10, 10, null, 11, 11],
      }),
    )
  })

  it('end in a gap if the history does', async () => {
    expect(await read([past(now - 3000, 10), gap(now - 2000, now)])).toMatchObject({
      right: { prices: [10, 10, null, null] },
    })
  })

  it('have the current time if the clock of the recorder is ahead', async () => {
    expect(await read([past(now - 3000, 10), past(now + 9000, 11), gap(now + 10_000, now + 20_000)])).toEqual(
      right({ times: [now - 3000, now, now, now + 1, now + 1], prices: [10, 11, 11, null, null] }),
    )
  })

  it('are a Left if the history fails, also after its first prices', async () => {
    const failure = left(networkError(new Error('reset')))
    const history = historyOf(of(right(past(Date.now(), 10)), failure))
    expect(await firstValueFrom(readPastSamples$(history, topic, 60_000, 500))).toBe(failure)
  })
})
