import { expect, it } from 'vitest'
import { DataAge } from '../../../src/nats/client/data-age.js'
import { rxClock } from '../../../src/base/time/clock.js'

it('answers the newest ping before a proof, and with it all before', () => {
  const time = { elapsed: 0 }
  const age = new DataAge({ ...rxClock, elapsed: () => time.elapsed }, 1_000)
  for (const payload of ['0', '10', '20']) {
    age.onPing(payload)
    time.elapsed += 10
  }
  expect(age.answeredAt(-1)).toBeUndefined()
  expect(age.answeredAt(15)).toBe('10')
  expect(age.answeredAt(15)).toBeUndefined()
  expect(age.answeredAt(25)).toBe('20')
})

it('measures by the newest answer, and ignores repeated, late and forged ones', () => {
  const time = { elapsed: 0 }
  const age = new DataAge({ ...rxClock, elapsed: () => time.elapsed }, 1_000)
  time.elapsed = 100
  expect(age.onReply(50, 5_000)).toBe(true)
  expect(age.onReply(60, 5_010)).toBe(true)
  for (const sentAt of [60, 50, 101, NaN]) expect(age.onReply(sentAt, 5_010)).toBe(false)
  expect(age.lateReason(5_010)).toBeUndefined()
  time.elapsed = 1_061
  expect(age.lateReason(5_010)).toBe('the prices are 1001 ms behind, at most 1000 ms are allowed')
})
