// Prints the headers that a gateway receives from a signing and from an unsigned client, and a depth as JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createClient, decodeDepth, encodeDepth, signRequest } from 'svc-streams'
import { depth } from 'svc-streams/testing'

const key = Buffer.alloc(32, 7).toString('base64')
const sample = depth('0xab', { buy: { totalQuantity: 2n ** 64n, totalQuantityUsd: 0.5 } })
const received = []
const server = createServer(({ url: path, headers }, response) => {
  received.push({ path, headers })
  response.end(encodeDepth(sample))
}).listen(0, '127.0.0.1')
await once(server, 'listening')

const baseUrl = `http://127.0.0.1:${server.address().port}`
const options = { environment: 'mainnet', baseUrl, priceBaseUrl: baseUrl }
const headers = { 'x-svc-tenant': ' acme ', 'X-Api-Key': 'secret' }
const results = []
for (const access of [{ authKey: key }, { unsigned: true }]) {
  const client = createClient({ ...options, ...access, headers })
  results.push(await client.depth('0xab')())
  await client.close()
}
server.close()

const [signed, unsigned] = received.map((request) => request.headers)
const { 'x-svc-auth': signature, ...others } = signed
const names = (sent) => Object.keys(sent).filter((name) => name.startsWith('x-')).sort() // prettier-ignore
console.log(
  JSON.stringify({
    'the signature covers the header':
      signRequest({ key, path: received[0].path, headers: others }).right === signature,
    signed: names(signed),
    unsigned: names(unsigned),
    depth: results[1].right.buy,
    decoded: decodeDepth(encodeDepth(sample)).right.buy,
  }),
)
