import { signRequestWith } from '../wire/auth/sign-request.js'
import { node } from '../wire/platform/node.js'
import { createClientOn } from './create-client.js'

// The exports that depend on the platform, for Node.

/**
 * Creates a client: live prices over one WebSocket, and depth by signed HTTP polling, as streams of `Either`. It opens no
 * connection until a stream is subscribed to or a task is run.
 *
 * - `price$(topic)`, `depth$(mint, interval)`: streams. `status$`, `errors$`, `inspect()`: the state of the connection.
 * - `price(topic)`, `depth(mint)`: one request each, sent when the result is called: `await client.price(topic)()`.
 * - The depth methods exist if the options have `environment: 'mainnet'`, `baseUrl`, and either `authKey` or `unsigned: true`.
 *
 * Throws a `ConfigurationError` that names the first invalid option.
 *
 * @function
 * @example
 * const client = createClient({ environment: 'testnet', priceBaseUrl: 'https://prices.example:3000' })
 */
export const createClient = createClientOn(node)

/**
 * The signature of a request: the value of the `x-svc-auth` header (section 5 of the service's documentation). A `Left`
 * describes the fault of an invalid argument. It never contains the key.
 *
 * @function
 * @example
 * const key = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
 * const headers = { 'x-svc-auth-expiration': '1745462597105' }
 * signRequest({ key, path: '/v0/order_book/depth/0x82af', headers })
 * // Right('66EN1fGgqqHy4ZiOseYfdbcqrJGExiJK2tBjytV8iUc')
 */
export const signRequest = signRequestWith(node.createMac)
