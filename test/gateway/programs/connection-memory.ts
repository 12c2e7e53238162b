import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import { right } from 'fp-ts/lib/Either.js'
import { BehaviorSubject, Subject } from 'rxjs'
import type { Price } from 'svc-streams'
import { startGateway } from 'svc-streams/gateway'
import { createTestClient, price } from 'svc-streams/testing'
import { usedBytes } from '../../support/process/used-bytes.js'
import { nextTurn } from '../../support/time/event-loop.js'

// Opens and closes connections of a gateway in rounds, and prints the memory of this thread. The consumers have a thread
// of their own, whose heap is not measured. Run it with --expose-gc.

const topic = `svc-0x${'1'.repeat(40)}` as const
const connections = 150
const rounds = 7

/** Each message is a number of connections to open: 0 closes all. Answers when it is done. */
const consumers = `
  const { parentPort, workerData: { url, topic } } = require('node:worker_threads')
  const { WebSocket } = require('ws')
  let sockets = []
  parentPort.on('message', async (count) => {
    if (count === 0) for (const socket of sockets) socket.terminate()
    sockets = Array.from({ length: count }, () => new WebSocket(url, { perMessageDeflate: false }))
    await Promise.all(sockets.map((socket) => new Promise((resolve) => {
      socket.on('open', () => socket.send(JSON.stringify({ method: 'subscribe', topic })))
      socket.on('message', (data) => { if (data.includes('price')) resolve() })
    })))
    parentPort.postMessage('done')
  })`

const prices = new BehaviorSubject(right<never, Price>(price(topic, 2500)))
const client = createTestClient({ prices: { [topic]: prices }, status$: new Subject() })
const gateway = await startGateway(client)
const worker = new Worker(consumers, { eval: true, workerData: { url: gateway.priceWsUrl, topic } })

const bytesWith = async (count: number): Promise<number> => {
  worker.postMessage(count)
  await once(worker, 'message')
  while (gateway.inspect().connections !== count) await nextTurn()
  // Closed sockets are released in later turns.
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn()
    globalThis.gc?.()
  }
  return usedBytes()
}

const open: number[] = []
const closed: number[] = [await bytesWith(0)]
for (let round = 0; round < rounds; round += 1) {
  open.push(await bytesWith(connections))
  closed.push(await bytesWith(0))
}
await worker.terminate()
await gateway.close()

// The first rounds are a warm-up. A leak raises each later round. A lazy allocation raises only some of them.
const increases = closed.slice(3).map((bytes, index) => bytes - closed[index + 2]!)
const increase = increases.sort((a, b) => a - b)[Math.floor(increases.length / 2)]!
const bytes = Math.min(...open.slice(3)) - Math.min(...closed.slice(3))
console.log(
  JSON.stringify({
    bytesPerConnection: Math.round(bytes / connections),
    leakedPerConnection: Math.round(increase / connections),
  }),
)
