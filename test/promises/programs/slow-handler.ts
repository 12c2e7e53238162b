import { isRight } from 'fp-ts/lib/Either.js'
import { createClient, type Topic } from 'svc-streams'
import { busyWait } from '../../support/time/event-loop.js'
import { startServiceThread } from '../../support/network/service-thread.js'
import { usedBytes } from '../../support/process/used-bytes.js'

// Reads a burst of more than 100 MB with a handler that is slower than the sender, and prints the memory used by this
// thread. The service runs in another thread.

const frames = 100_000
const paddingLength = 1200
const topic: Topic = 'svc-0xab'

const service = await startServiceThread()
const { priceBaseUrl, priceWsUrl } = service.addresses
const client = createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl })

let received = 0
let isInOrder = true
let maxAhead = 0
let maxUsed = 0
let sentFrames = 0
let before = 0

const first = new Promise<void>((resolve) => {
  client.price$(topic).subscribe((event) => {
    received += 1
    isInOrder &&= isRight(event) && event.right.price === received
    if (received % 500 === 0) maxUsed = Math.max(maxUsed, usedBytes() - before)
    if (received === 1) resolve()
    busyWait(20)
  })
})

await first
before = usedBytes()
await service.run({ name: 'burst', topic, frames, paddingLength })
while (received <= frames) {
  ;({ sentFrames } = await service.run({ name: 'report' }))
  maxAhead = Math.max(maxAhead, sentFrames - received)
}

const MB = (bytes: number): number => Math.round(bytes / 1e6)
const frameBytes = JSON.stringify({ topic, price: 1 }).length + paddingLength
console.log(
  JSON.stringify({
    received,
    isInOrder,
    sentMB: MB(sentFrames * frameBytes),
    maxAheadMB: MB(maxAhead * frameBytes),
    maxUsedMB: MB(maxUsed),
  }),
)
await client.close()
await service.close()
