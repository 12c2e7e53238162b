import { createClient } from 'svc-streams'
import { expect, test } from 'vitest'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { findUnusedPort } from '../support/network/servers.js'
import { spawnCommand } from '../support/process/node-process.js'
import { pathOf, startServer } from '../support/process/program.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'

// The server and the client of libwebsockets, which share no code with ws and Node.

const packageName = 'libwebsockets-test-server'

test('a client opens a connection to the server of libwebsockets, measures its lag by pings, and closes it', async () => {
  const port = await findUnusedPort()
  const path = pathOf('libwebsockets-test-server', packageName)
  await startServer([path, `--port=${port}`], port)
  const client = closeAfterTest(
    createClient({
      environment: 'testnet',
      priceBaseUrl: `http://127.0.0.1:${port}`,
      priceWsUrl: `ws://127.0.0.1:${port}`,
      confirmTimeout: 100,
    }),
  )
  const { tags, subscription } = collectEvents(client.price$(ethTopic))
  // That server answers pings, and no subscribe.
  await eventually(() => tags().includes('SubscriptionTimeout'))
  await eventually(() => client.inspect().lines[0]?.lagMs !== null)
  expect(client.inspect().status).toMatchObject({ _tag: 'Open', epoch: 1 })
  expect(new Set(tags())).toEqual(new Set(['SubscriptionTimeout']))
  subscription.unsubscribe()
})

test('a gateway serves the client of libwebsockets, whose messages do not disturb others', async () => {
  const gateway = await startTestGateway(createClientFor(await startTestSimulator()))
  const consumer = closeAfterTest(createClient({ environment: 'testnet', ...gateway }))
  const { tags, values } = collectEvents(consumer.price$(ethTopic))
  await eventually(() => values().length > 0)
  const { port } = new URL(gateway.baseUrl)
  const path = pathOf('libwebsockets-test-client', packageName)
  // It opens two connections, and sends messages that are no requests.
  const other = spawnCommand([path, '127.0.0.1', `--port=${port}`, '-l', '-d', '31'])
  await eventually(() => gateway.inspect().connections === 3)
  const { length } = values()
  await eventually(() => values().length > length + 20)
  expect(other.output).not.toMatch(/protocol error|invalid utf|failed to/i)
  other.process.kill('SIGKILL')
  await eventually(() => gateway.inspect().connections === 1)
  expect(new Set(tags())).toEqual(new Set(['Right']))
})
