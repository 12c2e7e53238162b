import { expect, it } from 'vitest'
import { createTestClient } from 'svc-streams/testing'
import { startNatsGateway } from 'svc-streams/nats'
import { collectEvents } from '../support/collect-events.js'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsCluster, startNatsServer } from '../support/nats/nats-server.js'
import { startTcpServer } from '../support/network/servers.js'
import { programCommand, spawnCommand } from '../support/process/node-process.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'
import { Fleet } from './support/fleet.js'
import { createNatsClient } from './support/start-in-process.js'
import { expectNoProblems, expectWithin, startSubscribedConsumer, topics } from './support/start-fleet.js'

/** What a server sends before it is silent: nothing, a message that requires TLS, and one after which it answers no ping. */
const greetings = {
  'sends nothing': '',
  'answers no TLS handshake': 'INFO {"version":"2.10.0","tls_required":true,"max_payload":1048576}\r\n',
  'answers no ping': 'INFO {"version":"2.10.0","max_payload":1048576}\r\n',
}

/** Starts a server that accepts TCP, and counts the sockets that its clients open and keep open. */
const startSilentServer = async (greeting: string) => {
  const counts = { dials: 0, open: 0, maxOpen: 0 }
  const port = await startTcpServer((socket) => {
    counts.dials++
    counts.open++
    counts.maxOpen = Math.max(counts.maxOpen, counts.open)
    socket.on('close', () => counts.open--)
    socket.on('end', () => socket.end())
    socket.resume()
    if (greeting !== '') socket.write(greeting)
  })
  return { url: `nats://127.0.0.1:${port}`, counts }
}

const users = {
  natsClient: (servers: string) => {
    const client = createNatsClient({ servers })
    collectEvents(client.price$(ethTopic))
    return client
  },
  startNatsGateway: (servers: string) => startNatsGateway(createTestClient(), { servers }),
}

it.each(Object.entries(greetings))(
  'a client and a gateway have at most two sockets to a server that %s, and none after `close`',
  async (_title, greeting) => {
    const run = async (start: (typeof users)[keyof typeof users]): Promise<void> => {
      const { url, counts } = await startSilentServer(greeting)
      const user = await start(url)
      await eventually(() => expect(counts.dials).toBeGreaterThan(2))
      await user.close()
      await eventually(() => expect(counts.open).toBe(0))
      // The server may read the end of one after the beginning of the next.
      expect(counts.maxOpen).toBeLessThanOrEqual(2)
    }
    await Promise.all(Object.values(users).map(run))
  },
)

describeNats('a NATS server that is stopped', { concurrent: true }, () => {
  it('does not keep the processes of a consumer and a gateway alive after `close`', async (test) => {
    const nats = await startNatsServer({ onFinished: test.onTestFinished })
    nats.signal('SIGSTOP')
    const fleet = new Fleet(test, nats.url)
    const [{ process: gateway }, consumer] = await Promise.all([fleet.startGateway(), fleet.startConsumer()])
    consumer.subscribe(ethTopic)
    // Dials have timed out by then.
    await consumer.next('Disconnected', (await consumer.next('Disconnected', 0)).at + 1)
    for (const process of [gateway, consumer]) process.send('close')
    expect([await gateway.exit(), await consumer.exit()]).toEqual([0, 0])
  })

  it('does not keep the command `gateway --nats` alive after SIGINT', async (test) => {
    const nats = await startNatsServer({ onFinished: test.onTestFinished })
    nats.signal('SIGSTOP')
    const command = programCommand('src/cli/main.ts', 'gateway', '--simulate', '--nats', nats.url)
    const gateway = spawnCommand(command, { onFinished: test.onTestFinished })
    await eventually(() => gateway.output.includes('NATS'))
    gateway.process.kill('SIGINT')
    expect(await gateway.waitForExit()).toBe(0)
  })

  it.for([
    ['the consumer uses it', ['consumer']],
    ['the gateway uses it', ['gateway']],
    ['both use it', ['consumer', 'gateway']],
  ] as const)('of a cluster costs prices for at most 3 s, if %s', async ([, stoppedUsers], test) => {
    const [stopped, first] = await startNatsCluster({ onFinished: test.onTestFinished })
    /** Without an order of chance, the first server is used as long as it accepts. */
    const optionsOf = (user: 'consumer' | 'gateway') => ({
      servers: stoppedUsers.some((each) => each === user) ? [stopped.url, first.url] : [first.url],
      noRandomize: true,
    })
    const fleet = new Fleet(test, first.url)
    await fleet.startGateway(optionsOf('gateway'))
    const consumer = await startSubscribedConsumer(fleet, optionsOf('consumer'))
    const stoppedAt = Date.now()
    stopped.signal('SIGSTOP')
    const lost = await consumer.next('Disconnected', stoppedAt)
    expectWithin(fleet, 2_000, stoppedAt, lost)
    for (const topic of topics) {
      await consumer.pricesSince(lost.at, topic)
      const price = consumer.events(topic).find(({ at, tag }) => at >= lost.at && tag === 'Right')
      if (price !== undefined) expectWithin(fleet, 3_000, stoppedAt, price)
    }
    await expectNoProblems(fleet, consumer)
  })
})
