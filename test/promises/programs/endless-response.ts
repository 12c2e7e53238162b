import { isLeft } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom } from 'rxjs'
import { createClient } from 'svc-streams'
import { usedBytes } from '../../support/process/used-bytes.js'

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

const before = usedBytes()
let maxGrowth = 0
const sample = (): void => {
  maxGrowth = Math.max(maxGrowth, usedBytes() - before)
}
const sampling = setInterval(sample, 5)

const failure = async (): Promise<unknown> => {
  if (method === 'depth') return client.depth('0xab')()
  return firstValueFrom(client.price$('svc-0xab').pipe(filter(isLeft)))
}

const result = (await failure()) as { readonly left?: unknown }
clearInterval(sampling)
await client.close()
sample()
console.log(JSON.stringify({ error: result.left, maxMB: Math.round(maxGrowth / 1e6) }))
