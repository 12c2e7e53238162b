import { GatewayError } from '../../../gateway/index.js'
import { startStateServer, type StateServer } from '../../../gateway/http/health.js'
import { prometheusMetrics, prometheusType } from '../../../opentelemetry/prometheus.js'
import { textResponse } from '../../../gateway/server/http-response.js'

export interface MetricsFlags {
  readonly metrics?: true
  readonly metricsHost: string
  readonly metricsPort: number
}

/** Serves `GET /metrics` on a port of its own, if the command has the flag. Counts all events from this call on. */
export const startMetrics = async (flags: MetricsFlags): Promise<StateServer | undefined> => {
  if (flags.metrics === undefined) return undefined
  const metrics = prometheusMetrics()
  const address = { host: flags.metricsHost, port: flags.metricsPort }
  const page = () => textResponse(200, metrics.render(), { 'Content-Type': prometheusType })
  const server = await startStateServer(address, (path) => (path === '/metrics' ? page() : undefined)).catch(
    (error: unknown) => {
      metrics.stop()
      throw error instanceof GatewayError ? new Error(`--metrics-${error.option}: ${error.problem}`) : error
    },
  )
  return {
    baseUrl: server.baseUrl,
    [Symbol.asyncDispose]: async () => {
      metrics.stop()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** The line of the summary of a gateway. */
export const metricsLines = (metrics: StateServer | undefined): readonly string[] =>
  metrics === undefined ? [] : [`# Its metrics for Prometheus are at ${metrics.baseUrl}/metrics.`]
