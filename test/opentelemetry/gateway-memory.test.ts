import { createClient } from 'svc-streams'
import { expect, it } from 'vitest'
import { commandLine } from '../cli/support/command.js'
import { readPage } from '../docs/support/block.js'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { spawnCommand, type NodeProcess } from '../support/process/node-process.js'
import { eventually } from '../support/time/eventually.js'
import { exportedVariables } from './support/command-line.js'
import { startInstrumentation } from './support/exported.js'

const page = readPage('docs/operate/runbooks/gateway-memory.md')

/** Runs the line of the page that starts with these words in a shell, which expands its braces. */
const startLine = (start: string, change = (line: string): string => line): NodeProcess => {
  const line = page.split('\n').find((each) => each.startsWith(`npx svc-streams ${start} `)) ?? ''
  const args = change(line.replace('npx svc-streams ', ''))
  return spawnCommand(['bash', '-c', `exec "$@" ${args}`, 'bash', ...commandLine()])
}

it('counts a consumer that stops to read and continues, by the commands of docs/operate/runbooks/gateway-memory.md', async () => {
  const { collect, value } = startInstrumentation()
  const simulator = startLine('simulate')
  await eventually(() => simulator.stdout.includes('Ctrl-C'))
  const variables = exportedVariables(simulator.stdout)
  const client = createClient({
    environment: 'mainnet',
    priceBaseUrl: variables['SVC_PRICE_BASE_URL'] ?? '',
    priceWsUrl: variables['SVC_PRICE_WS_URL'] ?? '',
  })
  const gateway = await startTestGateway(closeAfterTest(client))
  const consumer = startLine('watch', (args) => args.replace('http://127.0.0.1:8080', gateway.baseUrl))
  await eventually(() => gateway.inspect().topics.filter(({ state }) => state === 'live').length === 50)
  // The gateway judges a consumer from its first pong on, which this one sends before it prints a price.
  await eventually(() => / price [\d.]+ USD/.test(consumer.stdout))
  // What Ctrl-Z does, but for the keyboard.
  consumer.process.kill('SIGSTOP')
  await eventually(async () => {
    await collect()
    expect(value('svc_streams.gateway.consumer.behind.count')).toBe(1)
    expect(value('svc_streams.gateway.dropped')).toBeGreaterThan(1000)
  })
  consumer.process.kill('SIGCONT')
  await eventually(async () => {
    await collect()
    expect(value('svc_streams.gateway.consumer.behind.count')).toBe(0)
  })
  expect(value('svc_streams.gateway.disconnects')).toBe(0)
})
