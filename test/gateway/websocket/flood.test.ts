import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { createClient, type Price, type PriceError, type Topic } from 'svc-streams'
import type { Gateway, GatewayOptions } from 'svc-streams/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { spawnScript } from '../../support/process/node-process.js'
import { isLong } from '../../support/run/long.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { connect, type RawConsumer } from '../support/raw-consumer.js'
import { startTestGateway } from '../support/start-test-gateway.js'

// Consumers that send as much as the link takes. The service and the consumers that flood have threads or processes of
// their own.

/** No consumer may delay the prices of another one by more, in ms. Other tests do too, except while the long tests run. */
const maxDelay = isLong ? 100 : Infinity

/** A service whose price of one topic is the time at which it is sent, every 5 ms. It confirms all other topics. */
const service = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { WebSocketServer } = require('ws')
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  let subscribes = 0
  server.on('connection', (socket) => {
    socket.on('error', () => socket.terminate())
    let prices
    socket.on('close', () => clearInterval(prices))
    socket.on('message', (data) => {
      const { method, topic } = JSON.parse(data)
      if (method !== 'subscribe') return
      subscribes++
      socket.send(JSON.stringify({ subscriptions: [topic] }))
      if (topic !== workerData || prices !== undefined) return
      prices = setInterval(
        () => socket.send(JSON.stringify({ topic, price: performance.timeOrigin + performance.now() })),
        5,
      )
    })
  })
  parentPort.on('message', () => parentPort.postMessage(subscribes))
  server.on('listening', () => parentPort.postMessage(server.address().port))
`

const now = (): number => performance.timeOrigin + performance.now()

const start = async (options: GatewayOptions = {}) => {
  const worker = new Worker(service, { eval: true, workerData: ethTopic })
  onTestFinished(() => worker.terminate().then(() => undefined))
  const [port] = (await once(worker, 'message')) as [number]
  const client = closeAfterTest(
    createClient({
      environment: 'testnet',
      priceBaseUrl: `http://127.0.0.1:${port}`,
      priceWsUrl: `ws://127.0.0.1:${port}`,
    }),
  )
  const subscribes = async (): Promise<number> => {
    worker.postMessage('report')
    const [count] = (await once(worker, 'message')) as [number]
    return count
  }
  return { gateway: await startTestGateway(client, options), subscribes }
}

/** The delays of the prices of a consumer, in ms. */
const delaysOf = async (
  gateway: Gateway,
): Promise<{ readonly delays: readonly number[]; readonly consumer: RawConsumer }> => {
  const consumer = await connect(gateway)
  const delays: number[] = []
  consumer.webSocket.on('message', (data: Buffer) => {
    const { price, age } = JSON.parse(data.toString()) as { readonly price?: number; readonly age?: number }
    if (price !== undefined && age === undefined) delays.push(now() - price)
  })
  consumer.subscribe(ethTopic)
  await eventually(() => delays.length > 10)
  return { delays, consumer }
}

/** The bytes of a masked frame, with the mask 0. */
const frames = `
  const frameOf = (opcode, text) => {
    const payload = Buffer.from(text)
    const length = payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 255]
    return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), payload])
  }
  const repeated = (bytes) => Buffer.concat(Array.from({ length: Math.ceil(65536 / bytes.length) }, () => bytes))
  const message = (method, topic) => frameOf(1, JSON.stringify({ method, topic }))
  let number = 0
  const topic = () => 'svc-0x' + (++number).toString(16)
  const known = '${ethTopic}'
`

/** What is sent at once, again and again. */
const floods = {
  'frames of one byte': `repeated(frameOf(1, 'x'))`,
  pings: `repeated(frameOf(9, ''))`,
  'repeated subscribes': `repeated(message('subscribe', known))`,
  'subscribes and unsubscribes of ever new topics': `
    Buffer.concat(Array.from({ length: 500 }, () => { const t = topic(); return [message('subscribe', t), message('unsubscribe', t)] }).flat())`,
  'requests over HTTP': `repeated(Buffer.from('GET /health HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n'))`,
}

/** Eight connections that send this as fast as they can. */
const flood = (gateway: Gateway, kind: keyof typeof floods) =>
  spawnScript(`
    import { connect } from 'node:net'
    ${frames}
    const isHttp = ${String(kind === 'requests over HTTP')}
    const open = () => {
      const socket = connect(${new URL(gateway.baseUrl).port}, '127.0.0.1')
      const send = () => { while (socket.writable && socket.write(${floods[kind]})); }
      socket.on('error', () => undefined)
      socket.on('close', () => { console.log('closed'); setTimeout(open, 5) })
      socket.on('drain', send)
      socket.on('connect', () => {
        if (isHttp) return send()
        socket.write('GET / HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n' +
          'Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n')
        socket.once('data', () => { console.log('open'); send() })
      })
      socket.on('data', () => undefined)
    }
    for (let count = 0; count < 8; count++) open()
  `)

describe('a flood of', () => {
  it.each(Object.keys(floods) as (keyof typeof floods)[])(
    '%s leaves another consumer its prices, each within 100 ms',
    async (kind) => {
      const { gateway } = await start()
      const { delays, consumer } = await delaysOf(gateway)
      const attacker = flood(gateway, kind)
      const isHttp = kind === 'requests over HTTP'
      await eventually(() => isHttp || gateway.inspect().connections > 8)
      // Another program may delay some prices: then the next ones decide.
      let first = delays.length
      await eventually(() => {
        const recent = delays.slice(first)
        if (recent.some((delay) => delay > maxDelay)) first = delays.length
        return recent.length > 400 && first < delays.length
      })
      expect(consumer.closed()).toBeUndefined()
      if (!isHttp) expect(attacker.stdout).not.toContain('closed')
    },
    60_000,
  )
})

describe('a connection beyond its limits', () => {
  const names = (count: number): readonly Topic[] =>
    Array.from({ length: count }, (_, index): Topic => `svc-0x${(0xa000 + index).toString(16)}`)

  it('asks the service for new topics at its own rate, stays open, and gets its prices', async () => {
    const { gateway, subscribes } = await start({ maxNewTopicsPerSecond: 1 })
    const consumer = await connect(gateway)
    consumer.subscribe(ethTopic, ...names(2_000))
    await eventually(async () => expect(await subscribes()).toBeGreaterThan(100))
    const before = consumer.frames.length
    await eventually(() => expect(consumer.frames.length).toBeGreaterThan(before + 50))
    // A burst of 100, one a second, and those of a slice.
    expect(await subscribes()).toBeLessThan(500)
    expect(consumer.closed()).toBeUndefined()
  })

  it('gets each price and the answers to its pings while its messages wait', async () => {
    const { gateway, subscribes } = await start({ maxNewTopicsPerSecond: 5 })
    const { priceBaseUrl, priceWsUrl } = gateway
    const client = closeAfterTest(createClient({ environment: 'testnet', priceBaseUrl, priceWsUrl }))
    const events: Either<PriceError, Price>[] = []
    client.price$(ethTopic).subscribe((event) => events.push(event))
    await eventually(() => expect(events.length).toBeGreaterThan(10))
    for (const topic of names(700)) client.price$(topic).subscribe()
    await eventually(async () => expect(await subscribes()).toBeGreaterThan(500))
    const before = events.length
    // For two seconds more than `maxLag`.
    await eventually(() => expect(events.length).toBeGreaterThan(before + 1400))
    expect(events.filter(isLeft)).toEqual([])
    expect(await subscribes()).toBeLessThan(700)
    expect(client.inspect().status).toMatchObject({ _tag: 'Open', epoch: 1 })
  })

  it('is not read for a while, and then answered', async () => {
    const { gateway } = await start({ maxMessagesPerSecond: 20 })
    const consumer = await connect(gateway)
    for (let count = 0; count < 230; count++) consumer.webSocket.send('x')
    await eventually(() => expect(consumer.frames.length).toBeGreaterThanOrEqual(200))
    expect(consumer.frames.length).toBeLessThan(230)
    await eventually(() => expect(consumer.frames.length).toBe(230))
    expect(consumer.closed()).toBeUndefined()
  })

  it('is one that is refused with 429, beyond the connections of an address', async () => {
    const { gateway } = await start({ maxConnectionsPerAddress: 1 })
    const first = await connect(gateway)
    await expect(connect(gateway)).rejects.toThrow('429')
    first.webSocket.close()
    await eventually(() => connect(gateway))
  })
})

it('lets a client join with 10,000 topics within its burst', async () => {
  const { gateway } = await start()
  const client = closeAfterTest(
    createClient({
      environment: 'testnet',
      priceBaseUrl: gateway.priceBaseUrl,
      priceWsUrl: gateway.priceWsUrl,
    }),
  )
  for (let index = 0; index < 10_000; index++)
    client.price$(`svc-0x${(0xa0000 + index).toString(16)}`).subscribe()
  await eventually(() =>
    expect(gateway.inspect().topics.filter(({ state }) => state === 'live')).toHaveLength(10_000),
  )
  expect(client.inspect().status._tag).toBe('Open')
})
