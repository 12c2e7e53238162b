import fc from 'fast-check'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { parseTopic, topicOf } from '../../../src/codec/arguments/topic.js'
import { expectWellFormed } from '../../errors/support/well-formed.js'
import { address, anyText, mutate, service, topic } from '../../support/arbitraries.js'

describe('topicOf (section 2.2)', () => {
  it('joins the service, a hyphen and the unchanged address', () => {
    fc.assert(
      fc.property(address, service, (base, name) => {
        expect(topicOf(base)).toEqual(right(`svc-${base}`))
        expect(topicOf(base, name)).toEqual(right(`${name}-${base}`))
      }),
    )
  })

  it('returns a topic that parseTopic accepts', () => {
    fc.assert(
      fc.property(fc.oneof(address, anyText), service, (base, name) => {
        const made = topicOf(base, name)
        if (isLeft(made)) expectWellFormed(made.left)
        else expect(parseTopic(made.right, name)).toEqual(made)
      }),
    )
  })

  it.each(['', '0x', '82af', '0xzz', '0x82af-0x1', 'svc-0x82af', ' 0x82af'])('rejects %j', (text) => {
    expect(topicOf(text)).toMatchObject({ left: { _tag: 'InvalidTopic', topic: `svc-${text}` } })
  })
})

describe('parseTopic (section 2.2)', () => {
  it('returns the text unchanged', () => {
    fc.assert(
      fc.property(topic, (text) => {
        expect(parseTopic(text)).toEqual(right(text))
      }),
    )
  })

  it('rejects a topic of another service', () => {
    expect(parseTopic('acme-0xab')).toMatchObject({ left: { _tag: 'InvalidTopic', topic: 'acme-0xab' } })
    expect(parseTopic('acme-0xab', 'acme')).toEqual(right('acme-0xab'))
    expect(parseTopic('svc-0xab', 'acme')).toMatchObject({
      left: { message: 'expected a topic like acme-0x82af…, got "svc-0xab"' },
    })
  })

  it('returns the text or an InvalidTopic, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, topic.chain(mutate)), service, (text, name) => {
        const parsed = parseTopic(text, name)
        if (isLeft(parsed)) {
          expect(parsed.left).toMatchObject({ _tag: 'InvalidTopic', topic: text })
          expectWellFormed(parsed.left)
        } else {
          expect(parsed.right).toBe(text)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('never throws for a value of any type', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const parsed = parseTopic(value as string)
        if (isLeft(parsed)) expectWellFormed(parsed.left)
      }),
    )
  })
})
