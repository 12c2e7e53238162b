import { createClient } from 'svc-streams'
import { expect, it, onTestFinished } from 'vitest'
import { prometheusMetrics } from '../../src/opentelemetry/prometheus.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { createClientFor, startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'
import { startTestGateway } from '../gateway/support/start-test-gateway.js'
import { startExporter } from './support/prometheus.js'

/** The samples of a text: their values by name and labels, without the units that the exporter omits. */
const samplesOf = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => /^(?:svc_streams|http)_/.test(line))
      .map((line) => {
        const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
        const pairs = (labels.match(/\w+="(?:[^"\\]|\\.)*"/g) ?? []).filter(
          (pair) => !pair.startsWith('otel_'),
        )
        const plainName = name.replace(/_(?:seconds|bytes)(?=_|$)/, '')
        return [`${plainName} ${pairs.sort().join()}`, Number(value)] as const
      }),
  )

it('has the samples that the exporter of OpenTelemetry has', async () => {
  const metrics = prometheusMetrics()
  onTestFinished(metrics.stop)
  const target = await startExporter()
  const exported = async () => (await fetch(`http://${target}/metrics`)).text()
  const simulator = await startTestSimulator()
  const client = createClientFor(simulator, { reconnect: { initialDelay: 1, maxDelay: 1 } })
  const gateway = await startTestGateway(client)
  const consumer = closeAfterTest(createClient({ environment: 'mainnet', ...gateway, unsigned: true }))
  const { values } = collectEvents(consumer.price$(ethTopic))
  const { values: depths } = collectEvents(consumer.depth$(weth, 100))
  await eventually(() => values().length > 0 && depths().length > 1)
  simulator.dropConnections(4001)
  await eventually(() => values().at(-1)?.epoch === 2)
  await consumer.close()
  await gateway.close()
  await client.close()
  await eventually(async () => {
    const samples = samplesOf(await exported())
    expect(samples.size).toBeGreaterThan(100)
    expect(samplesOf(metrics.render())).toEqual(samples)
  })
})
