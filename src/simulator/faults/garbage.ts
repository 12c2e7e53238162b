import type { Garbage } from './faults.js'

/** A frame to send: a text, or bytes. */
export type Frame = string | Uint8Array

/** As JSON texts: `1e999` is a number that no float holds. */
const wrongPrices = ['"12.5"', '0', '-12.5', 'null', '1e999', undefined]

const notMessages = ['{}', '[]', '42', 'null', '"price"', '{"subscriptions":"all"}']

/** The n-th piece of garbage that comes before a price update of a topic; `undefined` where there is none to send. */
export const garbageFrame = (kinds: readonly Garbage[], n: number, topic: string): Frame | undefined => {
  const kind = kinds[n % kinds.length]
  const round = Math.floor(n / kinds.length)
  const named = `{"topic":${JSON.stringify(topic)}`
  switch (kind) {
    case 'malformed':
      return `${named},"price":`
    case 'no-message':
      return notMessages[round % notMessages.length]
    case 'wrong-price': {
      const price = wrongPrices[round % wrongPrices.length]
      return price === undefined ? `${named}}` : `${named},"price":${price}}`
    }
    case 'unknown-topic':
      return '{"topic":"another-0xdead","price":12.5}'
    case 'binary':
      return Buffer.from([0xde, 0xad, 0xbe, 0xef])
    case 'oversized':
      return 'x'.repeat(2 * 1024 * 1024)
    case undefined:
      return undefined
  }
}
