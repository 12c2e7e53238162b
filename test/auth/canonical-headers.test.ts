import { describe, expect, it } from 'vitest'
import { concatenateHeaders, selectSignedHeaders } from '../../src/auth/canonical-headers.js'

describe('signedHeaders', () => {
  it('selects headers by the name of the service, in any case', () => {
    const given = { 'x-acme-b': '1', 'x-svc-a': '2', 'x-acme-auth': '3', 'X-Acme-Auth-Expiration': '4' }
    expect(selectSignedHeaders(given, 'acme')).toEqual([
      ['x-acme-auth-expiration', '4'],
      ['x-acme-b', '1'],
    ])
    expect(selectSignedHeaders(given, 'ACME')).toEqual(selectSignedHeaders(given, 'acme'))
  })

  it('sorts by bytes, not by locale', () => {
    const given = {
      'x-svc-b': '',
      'x-svc-a_': '',
      'x-svc-a-': '',
      'x-svc-a': '',
      'x-svc-a0': '',
      'x-svc-A1': '',
    }
    expect(selectSignedHeaders(given, 'svc').map(([name]) => name)).toEqual([
      'x-svc-a',
      'x-svc-a-',
      'x-svc-a0',
      'x-svc-a1',
      'x-svc-a_',
      'x-svc-b',
    ])
  })

  it('includes a header whose name only starts like the signature', () => {
    expect(selectSignedHeaders({ 'x-svc-authority': 'a', 'x-svc-auth': 'b' }, 'svc')).toEqual([
      ['x-svc-authority', 'a'],
    ])
  })
})

describe('concatenateHeaders', () => {
  it('joins names and values without separators', () => {
    expect(
      concatenateHeaders([
        ['a', '1'],
        ['b', '2'],
      ]),
    ).toBe('a1b2')
    expect(concatenateHeaders([])).toBe('')
  })
})
