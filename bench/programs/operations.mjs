// What is done once a request, alone, over and over: time per operation in a warm process.
import { createSecretKey } from 'node:crypto'
import { isLeft } from 'fp-ts/lib/Either.js'
import { concatenateHeaders } from '../node_modules/.build/auth/signed-headers.js'
import { createSigner } from '../node_modules/.build/auth/signer.js'
import { decodeDepth, signRequest } from '../node_modules/.build/index.js'
import { answers } from '../process/answers.mjs'
import { signByHand } from './depth-clients.mjs'

const bytes = Buffer.alloc(32, 7)
const key = bytes.toString('base64')
const sign = createSigner('svc', createSecretKey(bytes), concatenateHeaders)
const pathOf = (index) => `/v0/order_book/depth/0x${(index % 1000).toString(16).padStart(40, '0')}`
const expirationOf = (index) => 1745462597105 + index

/** Each takes an index and gives a text or a number, which is the same whoever makes it. */
const operationsOn = (bodies) => ({
  'sign-by-hand': (index) => signByHand(pathOf(index), String(expirationOf(index))),
  'sign-project': (index) => sign(pathOf(index), expirationOf(index)).headers['x-svc-auth'],
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

answers({
  run: ({ operation, times, bodies }) => {
    const operate = operationsOn(bodies)[operation]
    const results = new Array(1000)
    const repeat = () => {
      for (let index = 0; index < times; index += 1) results[index % 1000] = operate(index)
    }
    repeat()
    const cpu = process.cpuUsage()
    repeat()
    const { user, system } = process.cpuUsage(cpu)
    return { microseconds: (user + system) / times, results: JSON.stringify(results) }
  },
})
