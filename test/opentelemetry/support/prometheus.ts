import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { instrument } from 'svc-streams/opentelemetry'
import { expect, onTestFinished } from 'vitest'
import { findUnusedPort } from '../../support/network/servers.js'
import { spawnCommand } from '../../support/process/node-process.js'
import { pathOf } from '../../support/process/program.js'
import { eventually } from '../../support/time/eventually.js'

export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: number
}

export interface Prometheus {
  /** The current result of a query. */
  readonly query: (expression: string) => Promise<readonly Sample[]>
  /** Requests a path of its HTTP API. */
  readonly api: (path: string) => Promise<unknown>
}

/** Instruments this process, and starts a Prometheus that scrapes it and evaluates the rules. */
export const startPrometheus = async (rules: string): Promise<Prometheus> => {
  const target = await startExporter()
  const folder = mkdtempSync(join(tmpdir(), 'svc-streams-prometheus-'))
  const config = join(folder, 'prometheus.yml')
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '200ms', scrape_timeout: '200ms', evaluation_interval: '200ms' },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'svc-streams', static_configs: [{ targets: [target] }] }],
    }),
  )
  const address = `127.0.0.1:${await findUnusedPort()}`
  const prometheus = spawnCommand([
    pathOf('prometheus'),
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ])
  const api = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://${address}/api/v1/${path}`)
    const body = (await response.json()) as { readonly data: unknown; readonly error?: string }
    if (!response.ok) throw new Error(`${path}: ${body.error}\n${prometheus.output}`)
    return body.data
  }
  await eventually(() => api('status/buildinfo'))
  const query = async (expression: string): Promise<readonly Sample[]> => {
    const { result } = (await api(`query?query=${encodeURIComponent(expression)}`)) as {
      readonly result: readonly { metric: Record<string, string>; value: [number, string] }[]
    }
    return result.map(({ metric, value: [, text] }) => ({ metric, value: Number(text) }))
  }
  await eventually(async () => expect(await query('up')).toMatchObject([{ value: 1 }]))
  return { api, query }
}

/** Serves the metrics of this process. Resolves to host and port. */
export const startExporter = async (): Promise<string> => {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const meterProvider = new MeterProvider({ readers: [exporter] })
  const stop = instrument({ meterProvider })
  const server = createServer((request, response) => exporter.getMetricsRequestHandler(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    stop()
    server.closeAllConnections()
    server.close()
    await meterProvider.shutdown()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
