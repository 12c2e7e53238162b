import { isLeft } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom } from 'rxjs'
import { createClient } from 'svc-streams'

// Requests an endless response from another process, and prints the error and the memory used.

const [method, port = '', timeoutMs = ''] = process.argv.slice(2)
const base = `http://127.0.0.1:${port}`
const client = createClient({
  environment: 'mainnet',
  baseUrl: base,
  priceBaseUrl: base,
  priceWsUrl: `ws://127.0.0.1:${port}`,
  authKey: 'AAEC',
  requestTimeout: Number(timeoutMs),
  connectTimeout: Number(timeoutMs),
})

const usedBytes = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const before = usedBytes()
let most = 0
const sampling = setInterval(() => (most = Math.max(most, usedBytes() - before)), 5)

const failure = async (): Promise<unknown> => {
  if (method === 'depth') return client.depth('0xab')()
  return firstValueFrom(client.price$('svc-0xab').pipe(filter(isLeft)))
}

const result = (await failure()) as { readonly left?: unknown }
clearInterval(sampling)
await client.close()
console.log(
  JSON.stringify({ error: result.left, maxMB: Math.round(Math.max(most, usedBytes() - before) / 1e6) }),
)
