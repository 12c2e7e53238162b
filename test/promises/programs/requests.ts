import { createInterface } from 'node:readline'
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { createClient, type AnyError, type HttpTransport } from 'svc-streams'
import { fetchTransport } from '../../../src/wire/transport/fetch.js'

// A client of a service, whose results it prints. Reads lines: `request` sends one request of each kind, and `block` blocks the
// event loop for a number of ms.

const [, , origin = '', transport, maxLag] = process.argv
const http: { readonly http?: HttpTransport } = transport === 'fetch' ? { http: fetchTransport() } : {}
const client = createClient({
  environment: 'mainnet',
  baseUrl: origin,
  priceBaseUrl: origin,
  authKey: 'AAEC',
  maxLag: Number(maxLag),
  ...http,
})
const token = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'

const print =
  (kind: string) =>
  (result: Either<AnyError, { readonly receivedAt: number }>): void => {
    const text = isLeft(result)
      ? { tag: result.left._tag }
      : { tag: 'Right', receivedAt: result.right.receivedAt }
    console.log(JSON.stringify({ kind, ...text }))
  }

const request = (): void => {
  void client.depth(token)().then(print('depth()'))
  void client.price(`svc-${token}`)().then(print('price()'))
  client.depth$('0xaa', 3_600_000).subscribe(print('depth$'))
}

const block = (ms: number): void => {
  console.log('blocked')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [command, ms] = line.split(' ')
  if (command === 'block') block(Number(ms))
  else request()
})
console.log('ready')
