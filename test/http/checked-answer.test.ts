import { left, right } from 'fp-ts/lib/Either.js'
import { createClient } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { checkedAnswer } from '../../src/http/checked-answer.js'
import { networkError } from '../../src/errors/constructors.js'
import type { HttpAnswer, HttpTransport } from '../../src/transport/ports.js'

const response = { status: 200, headers: {}, body: '' }

const invalid: readonly unknown[] = [
  undefined,
  null,
  'text',
  {},
  right(undefined),
  right({ ...response, status: '200' }),
  right({ ...response, headers: undefined }),
  right({ ...response, body: {} }),
  left('text'),
  left({ message: 'no tag' }),
]

describe('checkedAnswer', () => {
  it.each([right(response), left(networkError(new Error('refused')))])('returns a valid result', (answer) => {
    expect(checkedAnswer(answer)).toBe(answer)
  })

  it.each(invalid)('returns a NetworkError for %o', (answer) => {
    expect(checkedAnswer(answer as HttpAnswer)).toMatchObject(
      left({ _tag: 'NetworkError', message: 'no response: the transport passed an invalid result' }),
    )
  })
})

describe('depth$ over a transport in plain JavaScript', () => {
  const clientOver = (get: (onResult: (result: unknown) => void) => unknown) =>
    createClient({
      environment: 'mainnet',
      priceBaseUrl: 'http://localhost',
      baseUrl: 'http://localhost',
      authKey: 'AAAA',
      requestTimeout: 20,
      http: { get: (_, onResult) => get(onResult as never), close: () => Promise.resolve() } as HttpTransport,
    })

  it.each(invalid)('emits a NetworkError for the result %o', async (answer) => {
    await using client = clientOver((onResult) => {
      queueMicrotask(() => onResult(answer))
      return () => undefined
    })
    const event = await new Promise((resolve) => client.depth$('0xab', 1000).subscribe(resolve))
    expect(event).toMatchObject(left({ _tag: 'NetworkError' }))
  })

  it('emits Timeout if `get` returns no function', async () => {
    await using client = clientOver(() => undefined)
    const event = await new Promise((resolve) => client.depth$('0xab', 1000).subscribe(resolve))
    expect(event).toMatchObject(left({ _tag: 'Timeout' }))
  })
})
