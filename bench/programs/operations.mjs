// Measures an operation of a depth request alone, repeated in a warm process.
import { isLeft } from 'fp-ts/lib/Either.js'
import { Secrets } from '../node_modules/.build/wire/auth/secrets.js'
import { concatenateHeaders, createSigner } from '../node_modules/.build/wire/auth/sign-request.js'
import { decodeDepth, signRequest } from '../node_modules/.build/index.js'
import { node } from '../node_modules/.build/wire/platform/node.js'
import { handleRequests } from '../process/handle-requests.mjs'
import { sign } from './depth-clients.mjs'

const bytes = Buffer.alloc(32, 7)
const key = bytes.toString('base64')
const signer = createSigner({
  service: 'svc',
  key: bytes,
  createMac: node.createMac,
  canonicalHeaders: concatenateHeaders,
  headers: {},
  secrets: new Secrets(),
})
const pathOf = (index) => `/v0/order_book/depth/0x${(index % 1000).toString(16).padStart(40, '0')}`
const expirationOf = (index) => 1745462597105 + index

/** Each returns a string or a number. The operations that are compared return the same for the same index. */
const operationsOn = (bodies) => ({
  'sign-hand-written': (index) => sign(pathOf(index), String(expirationOf(index))),
  'sign-svc-streams': (index) => signer(pathOf(index), expirationOf(index))['x-svc-auth'],
  'sign-request': (index) => {
    const headers = { 'x-svc-auth-expiration': String(expirationOf(index)) }
    const signature = signRequest({ key, path: pathOf(index), headers })
    if (isLeft(signature)) throw signature.left
    return signature.right
  },
  'json-parse': (index) => JSON.parse(bodies[index % bodies.length]).price,
  'decode-depth': (index) => {
    const depth = decodeDepth(bodies[index % bodies.length])
    if (isLeft(depth)) throw new Error(depth.left.message)
    return depth.right.price
  },
})

handleRequests({
  run: ({ operation, repetitions, bodies }) => {
    const run = operationsOn(bodies)[operation]
    const results = new Array(1000)
    const runAll = () => {
      for (let index = 0; index < repetitions; index += 1) results[index % 1000] = run(index)
    }
    runAll() // warms up
    const cpu = process.cpuUsage()
    runAll()
    const { user, system } = process.cpuUsage(cpu)
    return { microseconds: (user + system) / repetitions, results: JSON.stringify(results) }
  },
})
