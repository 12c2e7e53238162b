import { portOption } from '../../../base/option-kinds/number-option.js'
import { gatewayTable } from '../../../gateway/options.js'
import { Flag, numberFlag, toggle, type Values } from '../../target/parse-flags.js'
import { GatewayError } from '../../../gateway/index.js'
import { startStateServer, type StateServer } from '../../../gateway/http/health.js'
import { prometheusMetrics, prometheusType } from '../../../opentelemetry/prometheus.js'
import { textResponse } from '../../../gateway/server/http-response.js'

/** The port that exporters of OpenTelemetry for Prometheus have by default. */
const metricsPort = { ...portOption(), default: 9464 }

export const metricsFlags = {
  metrics: toggle('--metrics', 'serve GET /metrics for Prometheus on a port of its own'),
  metricsPort: numberFlag(
    '--metrics-port <port>',
    'port of --metrics; 0 picks a free port',
    metricsPort,
  ).implies({ metrics: true }),
  metricsHost: new Flag<string>(
    '--metrics-host <address>',
    'address of --metrics; 0.0.0.0 for other machines, too',
  )
    .default(gatewayTable.host.default)
    .implies({ metrics: true }),
}

/** Serves `GET /metrics` on a port of its own, if the command has the flag. Counts all events from this call on. */
export const startMetrics = async (flags: Values<typeof metricsFlags>): Promise<StateServer | undefined> => {
  if (flags.metrics === undefined) return undefined
  const metrics = prometheusMetrics()
  const address = { host: flags.metricsHost, port: flags.metricsPort }
  const page = () => textResponse(200, metrics.render(), { 'Content-Type': prometheusType })
  const pageOf = (path: string) => (path === '/metrics' ? page() : undefined)
  const server = await startStateServer(address, pageOf).catch((error: unknown) => {
    metrics.stop()
    throw error instanceof GatewayError ? new Error(`--metrics-${error.option}: ${error.problem}`) : error
  })
  return {
    baseUrl: server.baseUrl,
    [Symbol.asyncDispose]: async () => {
      metrics.stop()
      await server[Symbol.asyncDispose]()
    },
  }
}

export const metricsLines = (metrics: StateServer | undefined): readonly string[] =>
  metrics === undefined ? [] : [`Its metrics for Prometheus are at ${metrics.baseUrl}/metrics.`]
