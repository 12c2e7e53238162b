import { subscribe } from 'node:diagnostics_channel'
import { Counter, Gauge, Histogram, register } from 'prom-client'
import { first, firstValueFrom } from 'rxjs'
import { createClient, defineTokens, type DiagnosticMessages, isRight } from 'svc-streams'
import { startSimulator } from 'svc-streams/simulator'

// The messages of the library's diagnostics channels as metrics for Prometheus. The client needs no configuration.

type Name = keyof DiagnosticMessages
const on = <N extends Name>(name: N, listener: (message: DiagnosticMessages[N]) => void): void =>
  subscribe(name, (message) => listener(message as DiagnosticMessages[N]))

const open = new Gauge({ name: 'svc_connections', help: 'open WebSockets', labelNames: ['host'] })
const losses = new Counter({ name: 'svc_lost', help: 'connections lost', labelNames: ['host', 'code'] })
const failures = new Counter({
  name: 'svc_topic_failures',
  help: 'failures of topics',
  labelNames: ['host', 'kind'],
})
const confirms = new Histogram({
  name: 'svc_confirm_ms',
  help: 'ms from subscribe to confirmation',
  buckets: [5, 50, 500],
})
const polls = new Counter({ name: 'svc_polls', help: 'depth requests', labelNames: ['host', 'result'] })
const repeats = new Counter({ name: 'svc_repeats', help: 'requests sent again', labelNames: ['host'] })

on('svc-streams:connected', ({ host }) => open.inc({ host }))
on('svc-streams:disconnected', ({ host, epoch, error }) => {
  if (epoch !== undefined) open.dec({ host })
  if (error !== undefined) losses.inc({ host, code: error.code })
})
on('svc-streams:subscribed', ({ confirmMs }) => confirms.observe(confirmMs))
for (const name of ['rejected', 'unanswered', 'stale'] as const) {
  on(`svc-streams:${name}`, ({ host, error }) => failures.inc({ host, kind: error._tag }))
}
on('svc-streams:decode-error', ({ host, error }) => failures.inc({ host, kind: error._tag }))
on('svc-streams:poll', ({ host, error }) => polls.inc({ host, result: error?._tag ?? 'ok' }))
on('svc-streams:repeated', ({ host }) => repeats.inc({ host }))

// A client, and a service that drops the connection once and rejects a token.
await using service = await startSimulator({ tick: 50 })
await using client = createClient({ environment: 'mainnet', ...service, staleAfter: 500 })
const { WETH } = defineTokens({
  WETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
})
const priceOf = (epoch: number) =>
  firstValueFrom(
    client.price$(WETH.topic).pipe(first((event) => isRight(event) && event.right.epoch === epoch)),
  )

client.price$(WETH.topic).subscribe()
client.price$('svc-0xdead').subscribe()
client.depth$(WETH.address, 100).subscribe()
await priceOf(1)
await firstValueFrom(client.depth$(WETH.address, 100))
service.dropConnections()
await priceOf(2)
console.log(await register.metrics())
