import fc from 'fast-check'
import { isRight, right, type Either } from 'fp-ts/lib/Either.js'
import type { DecodeError } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import {
  decodeConsumerMessage,
  encodeConsumerMessage,
  decodeGatewayMessage,
  encodeGatewayMessage,
  type ConsumerMessage,
  type GatewayMessage,
} from '../../../src/nats/codec/messages.js'

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const text = fc.string()
/** Names such as `__proto__` are no addresses, and no headers of a response. */
const name = fc.string({ unit: fc.constantFrom('a', 'b', '0', 'x', '-'), minLength: 1, maxLength: 64 })
const message = (type: string, fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ type: fc.constant(type), ...fields })

const gatewayMessage = fc.oneof(
  message('open', { session: text }),
  message('renew', { session: text, number, requests: number }),
  message('subscribe', { session: text, topic: text, number }),
  message('unsubscribe', { session: text, topic: text, number }),
  message('close', { session: text }),
  message('get', { path: text, consumer: name, timeout: number }),
  message('cancel', {}),
) as fc.Arbitrary<GatewayMessage>

const confirmed = { topic: text, base: text, number, sequence: number }

const consumerMessage = fc.oneof(
  message('ready', { gateway: name, version: number }),
  message('down', { reason: text }),
  message('opened', { time: number }),
  message('renewed', { number, time: number }),
  message('confirmed', confirmed),
  message('confirmed', { ...confirmed, pendingSince: number }),
  message('confirmed', { ...confirmed, price: fc.record({ frame: text, time: number }) }),
  message('rejected', { base: text, number, text }),
  message('closed', { code: number, reason: text }),
  message('response', { status: number, headers: fc.dictionary(name, text), body: text, lateMs: number }),
) as fc.Arbitrary<ConsumerMessage>

/** The text with one character replaced or removed. */
const mutated = (source: string, at: number, character: string): string =>
  source.slice(0, at % source.length) + character + source.slice((at % source.length) + 1)

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe.each([
  ['to a gateway', gatewayMessage, encodeGatewayMessage, decodeGatewayMessage],
  ['of a gateway', consumerMessage, encodeConsumerMessage, decodeConsumerMessage],
] as const)('a message %s', (_name, arbitrary, encode, decode) => {
  it('is decoded as it was encoded', () => {
    fc.assert(
      fc.property(arbitrary as fc.Arbitrary<never>, (value) => {
        expect(plain(decode(encode(value)))).toEqual(plain(right(value)))
      }),
    )
  })

  it('is an error or another valid message after a mutation, and never an exception', () => {
    fc.assert(
      fc.property(
        arbitrary as fc.Arbitrary<never>,
        fc.nat(),
        fc.constantFrom('', '"', '{', '0', ','),
        (value, at, character) => {
          const changed = mutated(encode(value), at, character)
          const decoded = decode(changed) as Either<DecodeError, unknown>
          if (isRight(decoded)) expect(plain(decoded.right)).toEqual(plain(JSON.parse(changed)))
          else expect(decoded.left._tag).toBe('DecodeError')
        },
      ),
    )
  })
})
