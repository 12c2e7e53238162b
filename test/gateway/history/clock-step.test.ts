import { isRight, right, type Either } from 'fp-ts/lib/Either.js'
import { map, Subject } from 'rxjs'
import type { Price, PriceError } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { createTestClient, price } from 'svc-streams/testing'
import { expect, it, vi } from 'vitest'
import { rxClock } from '../../../src/base/time/clock.js'
import { collect } from '../../backtest/recording/support/recordings.js'
import { newFolder } from '../../support/new-folder.js'
import { btcTopic, ethTopic } from '../../support/tokens.js'
import { recordingsIn } from './support/folder.js'
import { openTestHistory } from './support/open-history.js'

it('replays each price of a gateway whose clock was set, in order, after a Disconnected', async () => {
  const start = Date.parse('2026-11-22T00:20:00Z')
  vi.useFakeTimers({ now: start, toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] })
  const streams = {
    [ethTopic]: new Subject<Either<PriceError, Price>>(),
    [btcTopic]: new Subject<Either<PriceError, Price>>(),
  }
  const topics = [ethTopic, btcTopic]
  const client = createTestClient({ prices: streams, stamp: true })
  const folder = newFolder()
  const history = await openTestHistory(folder, { client, clock: rxClock, topics })
  const expected = { [ethTopic]: [] as unknown[], [btcTopic]: [] as unknown[] }
  for (const [index, step] of [0, -600_000, 1_200_000].entries()) {
    if (index > 0) for (const events of Object.values(expected)) events.push('Disconnected')
    vi.advanceTimersByTime(400)
    vi.setSystemTime(Date.now() + step)
    for (const usd of [1, 2, 3, 4].map((n) => 4 * index + n)) {
      const topic = usd % 3 === 0 ? btcTopic : ethTopic
      vi.advanceTimersByTime(200)
      streams[topic]?.next(right(price(topic, usd)))
      expected[topic]?.push(usd)
    }
  }
  history.recorder.close()
  vi.useRealTimers()
  for (const topic of topics) {
    const replayed$ = replay(recordingsIn(folder), { speed: Infinity }).run$((inside) =>
      inside.price$(topic).pipe(map((event) => (isRight(event) ? event.right.price : event.left._tag))),
    )
    expect(await collect(replayed$)).toEqual(expected[topic])
  }
})
