import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Body } from '../../../../src/wire/transport/undici/undici-transport.js'

it('Body joins any number of pieces, including characters split between pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.nat(9), (texts, cut) => {
      const whole = Buffer.from(texts.join(''))
      const size = cut === 0 ? Math.max(1, whole.length) : cut
      const body = new Body()
      for (let at = 0; at < whole.length; at += size) body.add(whole.subarray(at, at + size))
      expect(body.size).toBe(whole.length)
      expect(body.toString()).toBe(whole.toString())
    }),
  )
})

it('Body does not change its pieces', () => {
  const first = Buffer.from('one ')
  const body = new Body()
  body.add(first.subarray(0, 2))
  body.add(Buffer.from('X'))
  expect(first.toString()).toBe('one ')
  expect(body.toString()).toBe('onX')
})
