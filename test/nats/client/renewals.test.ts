import { expect, it } from 'vitest'
import { Pings } from '../../../src/nats/client/data-age.js'
import { rxClock } from '../../../src/base/time/rx-clock.js'

const createPings = () => {
  const time = { elapsed: 0 }
  const pings = new Pings({ ...rxClock, elapsed: () => time.elapsed })
  const pass = (ms: number): void => {
    time.elapsed += ms
  }
  return { pings, pass }
}

it('answers the newest ping before a proof, and with it all before', () => {
  const { pings, pass } = createPings()
  for (const payload of ['0', '10', '20']) {
    pings.onPing(payload)
    pass(10)
  }
  expect(pings.onProof(-1)).toBeUndefined()
  expect(pings.onProof(15)).toBe('10')
  expect(pings.onProof(15)).toBeUndefined()
  expect(pings.onProof(25)).toBe('20')
})
