import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { createClient, type PriceError } from 'svc-streams'
import { startTcpProxy } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { filesBelow, readPage, root } from '../docs/support/block.js'
import { commandLine, startCommand, type CliProcess } from '../cli/support/command.js'
import { whenBehind, whenMeasured } from '../base/diagnostics/support/connection-state.js'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'
import { pathOf, runToExit } from '../support/process/program.js'
import { argumentsIn, blockIn, exportedVariables } from './support/command-line.js'
import { startPrometheus } from './support/prometheus.js'

// The dashboard, the alerts and the pages of docs/operate, on a real Prometheus.

const folder = 'docs/operate'
const alerts = `${root}${folder}/alerts.yml`
const soon = { initialDelay: 1, maxDelay: 50 }

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

const dashboard = JSON.parse(readPage(`${folder}/grafana.json`)) as Dashboard
const queries = dashboard.panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m')),
)

const alertExpressions = Array.from(
  readPage(`${folder}/alerts.yml`).matchAll(/- alert: (\w+)\n +expr: (.+)/g),
  ([, name = '', expression = '']) => ({ name, expression }),
)

const pages = filesBelow(`${folder}/runbooks`, '.md')

const standbyPage = `${folder}/runbooks/standby-lost.md`

/** `gateway-memory.test.ts` runs the commands of a page whose symptom needs a gateway. */
const clientPages = pages.filter((page) => !page.endsWith('gateway-memory.md') && page !== standbyPage)

it('has a page for each alert, with the query of the alert', () => {
  const documented = pages.map((page) => ({
    name: /^Alert: `(\w+)`/m.exec(readPage(page))?.[1],
    expression: blockIn(readPage(page), 'text'),
  }))
  expect(documented).toEqual(expect.arrayContaining([...alertExpressions]))
  expect(documented).toHaveLength(alertExpressions.length)
  for (const page of pages) expect(readPage(`${folder}/alerts.yml`)).toContain(`runbook: ${page}\n`)
})

it('has a command on each page that provokes the symptom', () => {
  for (const page of pages)
    expect(readPage(page)).toMatch(/## Provoke it\n\n```sh\nnpx svc-streams simulate /)
})

/** Runs a program until it exits. */
const promtool = (): string => pathOf('promtool', 'prometheus')

/** A client with each kind of event, and a gateway of it with consumers of each kind. */
const causeAllEvents = async (): Promise<void> => {
  const simulator = await startTestSimulator()
  const client = createClientFor(simulator, { reconnect: soon, staleAfter: 500, maxLag: 2_000 })
  const gateway = await startTestGateway(client)
  const consumer = closeAfterTest(
    createClient({ environment: 'mainnet', ...gateway, unsigned: true, reconnect: soon }),
  )
  const streams = [client, consumer].map((each) => collectEvents(each.price$(ethTopic)))
  let uncorrelated = 0
  client.errors$.subscribe(() => uncorrelated++)
  collectEvents(client.price$('svc-0xdead'))
  collectEvents(client.depth$(weth, 100))
  collectEvents(consumer.depth$(weth, 100))
  const areLive = () => streams.every(({ events }) => events.at(-1)?._tag === 'Right')
  await eventually(areLive)
  simulator.inject({ refuseUpgrades: 503 })
  simulator.dropConnections()
  // The gateway has refused the consumer.
  await eventually(() => expect(streams[1]?.events.map(attemptOf)).toContain(2))
  simulator.inject({ garbage: ['wrong-price', 'unknown-topic'] })
  await eventually(() => areLive() && uncorrelated > 0)
  await whenMeasured(simulator.priceWsUrl)
  simulator.inject({ stall: true })
  await whenBehind(simulator.priceWsUrl)
  simulator.inject({})
  await eventually(areLive)
}

const attemptOf = (event: Either<PriceError, unknown>): number =>
  isLeft(event) && event.left._tag === 'Disconnected' ? event.left.attempt : 0

describe('Prometheus', () => {
  it('gets a result for each query of the dashboard, and evaluates each alert', async () => {
    const prometheus = await startPrometheus(alerts)
    await causeAllEvents()
    expect(queries.length).toBeGreaterThan(20)
    await eventually(async () => {
      const results = await Promise.all(queries.map((each) => prometheus.query(each)))
      expect(queries.filter((_, index) => results[index]?.length === 0)).toEqual([])
    })
    const { groups } = (await prometheus.api('rules')) as {
      readonly groups: readonly {
        readonly rules: readonly { readonly name: string; readonly health: string }[]
      }[]
    }
    const health = groups.flatMap(({ rules }) => rules.map(({ name, health: state }) => `${name} ${state}`))
    expect(health).toEqual(alertExpressions.map(({ name }) => `${name} ok`))
  })

  it('accepts the alerts and passes their unit tests', async () => {
    expect(await runToExit([promtool(), 'check', 'rules', alerts])).toMatchObject({ code: 0 })
    const tests = await runToExit([promtool(), 'test', 'rules', alerts.replace('.yml', '.test.yml')])
    expect(tests, tests.output).toMatchObject({ code: 0 })
  })

  it.each(clientPages)('finds the symptom of %s, which the command of the page provokes', async (page) => {
    const text = readPage(page)
    const prometheus = await startPrometheus(alerts)
    const variables = exportedVariables((await startSimulate(argumentsIn(text))).stdout)
    const [, bytesPerSecond = Infinity] = /bytesPerSecond: ([\d_]+)/.exec(text) ?? []
    const link = await startTcpProxy({
      target: variables['SVC_PRICE_WS_URL'] ?? '',
      bytesPerSecond: Number(String(bytesPerSecond).replace('_', '')),
    })
    const client = closeAfterTest(
      createClient({
        environment: 'mainnet',
        baseUrl: variables['SVC_BASE_URL'],
        priceBaseUrl: variables['SVC_PRICE_BASE_URL'],
        priceWsUrl: closeAfterTest(link).url,
        // A response that takes longer than `maxLag` is a `Timeout`: it has no lag.
        maxLag: page.endsWith('runbooks/lag.md') ? 5_000 : 1_000,
        authKey: page.endsWith('unauthorized.md') ? 'Dw4NDAsKCQgHBgUEAwIBAA' : variables['SVC_AUTH_KEY'],
        staleAfter: 500,
        reconnect: soon,
      }),
    )
    collectEvents(client.price$(ethTopic))
    collectEvents(client.depth$(weth, 100))
    const query = blockIn(text, 'text')
    await eventually(async () => expect(await prometheus.query(query)).not.toEqual([]))
  })

  it('finds a lost standby line when one of two servers ends', async () => {
    const text = readPage(standbyPage)
    const prometheus = await startPrometheus(alerts)
    const simulators = [await startSimulate(argumentsIn(text)), await startSimulate(argumentsIn(text))]
    const urls = simulators.map(({ stdout }) => exportedVariables(stdout)['SVC_PRICE_WS_URL'] ?? '')
    const client = closeAfterTest(
      createClient({
        environment: 'testnet',
        priceBaseUrl: 'http://127.0.0.1:1',
        priceWsUrl: urls,
        lines: 2,
        reconnect: soon,
      }),
    )
    collectEvents(client.price$(ethTopic))
    const open = 'count(svc_streams_connection_count{svc_streams_connection_state="open"} > 0)'
    await eventually(async () => expect(await prometheus.query(open)).toMatchObject([{ value: 2 }]))
    const query = blockIn(text, 'text')
    expect(await prometheus.query(query)).toEqual([])
    simulators[1]?.process.kill('SIGINT')
    await eventually(async () => expect(await prometheus.query(query)).not.toEqual([]))
  })
})

/** Starts the command of a page. Resolves when it has printed its environment variables. */
const startSimulate = async (args: readonly string[]): Promise<CliProcess> => {
  const command = startCommand(commandLine(...args))
  await eventually(() => command.stdout.includes('Ctrl-C'))
  return command
}
