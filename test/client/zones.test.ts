import { createClient } from 'svc-streams'
import { expect, it, onTestFinished } from 'vitest'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { findUnusedPort } from '../support/network/servers.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'

/** The part of zone.js that the library uses: `run` sets the current zone. */
class Zone {
  static current = new Zone('root')

  constructor(readonly name: string) {}

  run<A>(work: () => A): A {
    const before = Zone.current
    Zone.current = this
    try {
      return work()
    } finally {
      Zone.current = before
    }
  }
}

const loadZones = (): void => {
  Object.assign(globalThis, { Zone })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'Zone'))
}

it('runs each handler in the zone that subscribed, over shared connections and polls', async () => {
  loadZones()
  const client = createClientFor(await startTestSimulator())
  const log = new Set<string>()
  const note = (what: string) => () => void log.add(`${what} in ${Zone.current.name}`)
  for (const name of ['a', 'b']) {
    new Zone(name).run(() => {
      client.price$(ethTopic).subscribe({ next: note(`price of ${name}`), complete: note(`end of ${name}`) })
      client.depth$(weth, 10).subscribe(note(`depth of ${name}`))
      client.status$.subscribe(note(`status of ${name}`))
    })
  }
  const all = ['price', 'depth', 'status'].flatMap((what) => [`${what} of a in a`, `${what} of b in b`])
  await eventually(() => expect([...log].sort()).toEqual(all.sort()))
  await client.close()
  expect([...log].sort()).toEqual([...all, 'end of a in a', 'end of b in b'].sort())
})

it('emits errors in the zone that subscribed', async () => {
  loadZones()
  const url = `ws://127.0.0.1:${await findUnusedPort()}`
  const client = closeAfterTest(
    createClient({ environment: 'mainnet', priceBaseUrl: url.replace('ws', 'http'), priceWsUrl: url }),
  )
  const zones: string[] = []
  new Zone('a').run(() => client.price$(ethTopic).subscribe(() => zones.push(Zone.current.name)))
  await eventually(() => expect(zones.length).toBeGreaterThan(1))
  expect(new Set(zones)).toEqual(new Set(['a']))
})
