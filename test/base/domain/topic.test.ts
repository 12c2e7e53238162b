import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalAddress,
  baseAddressOf,
  defaultService,
  isTopic,
  isTopicOf,
} from '../../../src/base/domain/topic.js'
import { address, anyText, mutate, service, topic } from '../../support/arbitraries.js'

describe('isTopicOf (section 2.2)', () => {
  it('accepts the service, a hyphen and the base address', () => {
    fc.assert(
      fc.property(service, address, (name, base) => {
        expect(isTopicOf(`${name}-${base}`, name)).toBe(true)
      }),
    )
    expect(defaultService).toBe('svc')
  })

  it.each([
    '',
    'svc',
    'svc-',
    'svc-0x',
    'svc-82af',
    'svc-0xzz',
    'svc0x82af',
    'svc_0x82af',
    'SVC-0x82af',
    'acme-0x82af',
    ' svc-0x82af',
    'svc-0x82af\n',
    'svc--0x82af',
    'svc-0x82af-0x1',
  ])('rejects %j', (text) => expect(isTopicOf(text, 'svc')).toBe(false))

  it.each([undefined, null, 1, {}, ['svc-0x82af']])('rejects a value that is not a string: %o', (value) =>
    expect(isTopicOf(value, 'svc')).toBe(false),
  )
})

describe('isTopic', () => {
  it('accepts exactly the topics of the default service', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, topic, topic.chain(mutate)), (text) => {
        expect(isTopic(text)).toBe(isTopicOf(text, 'svc'))
      }),
    )
    expect(['svc-0xaB', 'acme-0xab', '0xab'].map(isTopic)).toEqual([true, false, false])
  })

  it('rejects a value of any other type', () => {
    fc.assert(
      fc.property(
        fc.anything().filter((value) => typeof value !== 'string'),
        (value) => {
          expect(isTopic(value)).toBe(false)
        },
      ),
    )
  })
})

describe('baseAddressOf', () => {
  it('returns the base address of every form that the service may echo', () => {
    const suffix = fc.oneof(
      fc.constant(''),
      address.map((quote) => `-${quote}`),
      anyText.map((text) => `-${text}`),
    )
    fc.assert(
      fc.property(service, address, suffix, (name, base, rest) => {
        expect(baseAddressOf(`${name}-${base}${rest}`, name)).toBe(canonicalAddress(base))
        expect(baseAddressOf(`${name}-${base.toLowerCase()}${rest}`, name)).toBe(canonicalAddress(base))
      }),
    )
  })

  it('returns the same address for a topic and for its lower-case echo with a quote address', () => {
    expect(baseAddressOf('svc-0xabc-0xdef', 'svc')).toBe(baseAddressOf('svc-0xABC', 'svc'))
  })

  it.each([
    'acme-0xabc',
    'SVC-0xabc',
    'svc',
    'svc-',
    'svc-abc',
    'svc-0x',
    'svc-0x-0xdef',
    'svc-0xabz',
    'svc-quote-0xabc',
    'x-svc-0xabc',
  ])('returns undefined for %j', (text) => expect(baseAddressOf(text, 'svc')).toBeUndefined())

  it('returns undefined for a topic of another service', () => {
    fc.assert(
      fc.property(topic, (text) => {
        expect(baseAddressOf(text, 'acme')).toBeUndefined()
      }),
    )
  })

  it('returns an address or undefined for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          anyText.map((text) => `svc-0x${text}`),
        ),
        (text) => {
          expect(baseAddressOf(text, 'svc') ?? '0x0').toMatch(/^0x[0-9a-f]+$/)
        },
      ),
    )
  })
})
