import { expect, it } from 'vitest'
import { Pings, Renewals } from '../../../src/nats/client/data-age.js'
import { rxClock } from '../../../src/base/time/rx-clock.js'

/** The number of publications that the next renewal reports after these parts of replies. */
const sinceAfter = (
  ...replies: readonly { readonly number: number; readonly part?: number; readonly parts?: number }[]
): number => {
  const renewals = new Renewals()
  for (const reply of replies) renewals.onRenewed({ ...reply, publications: 10 * reply.number })
  return renewals.next(0).since
}

it('reports the publications of the last reply', () => {
  expect(sinceAfter({ number: 1 }, { number: 2 })).toBe(20)
})

it('reports the publications of a divided reply once all parts have arrived', () => {
  const parts = [1, 2, 3].map((part) => ({ number: 2, part, parts: 3 }))
  expect(sinceAfter({ number: 1 }, ...parts.slice(0, 2))).toBe(10)
  expect(sinceAfter({ number: 1 }, ...parts)).toBe(20)
})

it.each([
  ['the first', [2, 3]],
  ['the second', [1, 3]],
  ['the last', [1, 2]],
])('does not report the publications of a reply whose part is lost: %s', (_title, arrived) => {
  const parts = arrived.map((part) => ({ number: 2, part, parts: 3 }))
  expect(sinceAfter({ number: 1 }, ...parts)).toBe(10)
})

it('does not join the parts of two replies', () => {
  expect(sinceAfter({ number: 1 }, { number: 2, part: 1, parts: 2 }, { number: 3, part: 2, parts: 2 })).toBe(
    10,
  )
})

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
