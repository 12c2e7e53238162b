import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { subscribeFrame, unsubscribeFrame } from '../../src/codec/outgoing-frame.js'
import { topic } from '../support/arbitraries.js'

describe('client messages (section 4.3)', () => {
  it('are JSON objects of a method and a topic, and nothing else', () => {
    fc.assert(
      fc.property(topic, (name) => {
        expect(JSON.parse(subscribeFrame(name))).toEqual({ method: 'subscribe', topic: name })
        expect(JSON.parse(unsubscribeFrame(name))).toEqual({ method: 'unsubscribe', topic: name })
      }),
    )
  })
})
