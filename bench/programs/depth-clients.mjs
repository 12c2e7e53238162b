// The clients that request a depth. Each is a function from a mint to its price. All send the same headers.
import { createHmac, createSecretKey } from 'node:crypto'
import { isLeft } from 'fp-ts/lib/Either.js'
import { Pool } from 'undici'
import { createClient } from '../node_modules/.build/index.js'

const base64 = Buffer.alloc(32, 7).toString('base64')
const key = createSecretKey(Buffer.from(base64, 'base64'))

/** A minimal signature with `node:crypto`. */
export const sign = (path, expiration) =>
  createHmac('sha256', key)
    .update(path)
    .update(`x-svc-auth-expiration${expiration}`)
    .digest('base64')
    .replace(/=+$/, '')

const unsignedHeaders = { 'x-svc-auth-expiration': '1745462597105', 'x-svc-auth': 'x'.repeat(43) }

const signedHeaders = (path) => {
  const expiration = String(Date.now() + 10_000)
  return { 'x-svc-auth-expiration': expiration, 'x-svc-auth': sign(path, expiration) }
}

const undiciClient = (origin, headersOf) => {
  // The maximum number of connections of svc-streams.
  const pool = new Pool(origin, { connections: 256 })
  return async (mint) => {
    const path = `/v0/order_book/depth/${mint}`
    const { body } = await pool.request({ path, method: 'GET', headers: headersOf(path) })
    return JSON.parse(await body.text()).price
  }
}

export const createSvcStreams = (origin) =>
  createClient({ environment: 'mainnet', baseUrl: origin, priceBaseUrl: origin, authKey: base64 })

export const depthClients = {
  pool: (origin) => undiciClient(origin, () => unsignedHeaders),
  'pool-signed': (origin) => undiciClient(origin, signedHeaders),
  'svc-streams': (origin) => {
    const client = createSvcStreams(origin)
    return async (mint) => {
      const depth = await client.depth(mint)()
      if (isLeft(depth)) throw new Error(depth.left.message)
      return depth.right.price
    }
  },
}
