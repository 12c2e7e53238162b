import { right, type Either } from 'fp-ts/lib/Either.js'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Subject } from 'rxjs'
import type { Price, PriceError } from 'svc-streams'
import { createTestClient, price } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { openGatewayHistory } from '../../../src/gateway/history/gateway-history.js'
import { rxClock } from '../../../src/time/rx-clock.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { ethTopic } from '../../support/tokens.js'
import { newFolder } from '../../support/new-folder.js'
import { recordingsIn } from './support/folder.js'

const minute = 60_000
const hour = 60 * minute

it('deletes the files whose prices are all older than `keep` while it records', () => {
  const folder = newFolder()
  // A folder, as a stand-in for a file that another program has open on Windows.
  mkdirSync(join(folder, `${ethTopic.toLowerCase()}.1969-12-31T22-00-00Z.ndjson`))
  const price$ = new Subject<Either<PriceError, Price>>()
  const client = createTestClient({ prices: { [ethTopic]: price$ } })
  /** The hours of the files, after each hour. */
  const hours: (readonly string[])[] = []
  runInVirtualTime(
    ({ at }) => {
      const history = openGatewayHistory(
        { folder, keep: 2 * hour, topics: [ethTopic] },
        { client, clock: rxClock, publish: () => undefined, ownHost: () => '', service: 'svc' },
      )
      for (const index of Array(6).keys()) {
        at(index * hour + 10 * minute, () => price$.next(right(price(ethTopic, index + 1))))
        at(index * hour + 59 * minute, () =>
          hours.push(recordingsIn(folder).map((path) => /T(\d\d)/.exec(basename(path))?.[1] ?? '')),
        )
      }
      at(6 * hour, () => history.close())
    },
    { endsAt: 7 * hour },
  )
  expect(hours).toEqual([
    ['22', '00'],
    ['22', '00', '01'],
    ['22', '00', '01', '02'],
    ['22', '01', '02', '03'],
    ['22', '02', '03', '04'],
    ['22', '03', '04', '05'],
  ])
})
