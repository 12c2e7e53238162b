import type { Garbage } from './faults.js'

/** Payload of a WebSocket frame: text, or the bytes of a binary frame. */
export type RawFrame = string | Uint8Array

/** Prices as JSON text; `undefined` omits the field. `1e999` parses as `Infinity`. */
const wrongPrices = ['"12.5"', '0', '-12.5', 'null', '1e999', undefined]

const wrongMessages = ['{}', '[]', '42', 'null', '"price"', '{"subscriptions":"all"}']

/** Builds a frame for a topic. `round` selects the variant. */
const frameByKind: Readonly<Record<Garbage, (topic: string, round: number) => RawFrame | undefined>> = {
  malformed: (topic) => `{"topic":${JSON.stringify(topic)},"price":`,
  'no-message': (_, round) => wrongMessages[round % wrongMessages.length],
  'wrong-price': (topic, round) => {
    const price = wrongPrices[round % wrongPrices.length]
    const priceField = price === undefined ? '' : `,"price":${price}`
    return `{"topic":${JSON.stringify(topic)}${priceField}}`
  },
  'unknown-topic': () => '{"topic":"another-0xdead","price":12.5}',
  binary: () => Buffer.from([0xde, 0xad, 0xbe, 0xef]),
  oversized: () => 'x'.repeat(2 * 1024 * 1024),
}

/** The garbage frame to send before the n-th price update of a connection; `undefined` if `kinds` is empty. */
export const garbageFrame = (kinds: readonly Garbage[], n: number, topic: string): RawFrame | undefined => {
  const kind = kinds[n % kinds.length]
  return kind === undefined ? undefined : frameByKind[kind](topic, Math.floor(n / kinds.length))
}
