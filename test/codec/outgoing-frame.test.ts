import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { subscribeFrame, unsubscribeFrame } from '../../src/codec/outgoing-frame.js'
import { topic } from '../support/arbitraries.js'

describe('subscribeFrame and unsubscribeFrame (section 4.3)', () => {
  it('build a JSON object of exactly a method and a topic', () => {
    fc.assert(
      fc.property(topic, (name) => {
        expect(JSON.parse(subscribeFrame(name))).toEqual({ method: 'subscribe', topic: name })
        expect(JSON.parse(unsubscribeFrame(name))).toEqual({ method: 'unsubscribe', topic: name })
      }),
    )
  })
})
