import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inRounds, valuesOf } from '../measure/rounds.js'
import { spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

const hourMs = 3_600_000

const [topicCount, hours] = [100, 168]

/** Prices in a file: one a minute. */
const pricesPerFile = 60

const requests = 5

const servers = [
  { name: 'by hand: `readdirSync`, `readFileSync`, `JSON.parse`', byHand: true },
  { name: '**gateway**', byHand: false, limit: 5 },
]

interface Measured {
  readonly requestMs: number
  readonly blockedMs: number
}

/** The time for which a request for the past blocks the event loop of a server that has many files. */
export const historyRequests = async ({ rounds }: Settings): Promise<Section> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-streams-bench-'))
  try {
    const topics = topicsOf(topicCount)
    const end = Math.floor(Date.now() / hourMs) * hourMs
    for (const topic of topics)
      await Promise.all(
        Array.from({ length: hours }, (_, index) => writeHour(folder, topic, end - (index + 1) * hourMs)),
      )
    const measured = await inRounds(rounds, servers, ({ byHand }) => measure(folder, byHand, topics, end))
    return {
      method: `Five requests for the last 20 minutes of a topic each, one after the other, from a server whose folder has ${topicCount * hours} files, one for each of ${topicCount} topics and ${hours} hours, with ${pricesPerFile} prices each: time of a request, and the longest time for which the event loop of the server was blocked, in ms, ${rounds} rounds.`,
      columns: ['Server', 'request, ms', 'blocked, ms'],
      rows: servers.map((server) => [
        server.name,
        formatSpread(spreadOf(valuesOf(measured, server, ({ requestMs }) => requestMs))),
        formatSpread(spreadOf(valuesOf(measured, server, ({ blockedMs }) => blockedMs))),
      ]),
      limit: servers.map(({ limit }) => limit),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The file that a gateway writes in an hour. */
const writeHour = (folder: string, topic: string, start: number): Promise<void> => {
  const time = new Date(start).toISOString().slice(0, 19).replaceAll(':', '-')
  const header = { _tag: 'Recording', version: 1, at: start, topics: [topic], mints: [], interval: 1000 }
  const rows = Array.from({ length: pricesPerFile }, (_, index) => {
    const at = start + (index * hourMs) / pricesPerFile
    const right = { topic, price: 1 + index / 1000, receivedAt: at, epoch: 1 }
    return { _tag: 'Price', at, topic, event: { _tag: 'Right', right } }
  })
  const lines = [header, ...rows].map((line) => `${JSON.stringify(line)}\n`)
  return writeFile(join(folder, `${topic}.${time}Z.ndjson`), lines.join(''))
}

const measure = (
  folder: string,
  byHand: boolean,
  topics: readonly string[],
  end: number,
): Promise<Measured> =>
  withChild('programs/history-requests.mjs', async (server) => {
    const url = await server.request<string>('start', { folder, byHand })
    // The first request compiles the code.
    await request(`${url}/history/${topics[0]}`, end)
    await server.request('watch')
    const start = performance.now()
    for (const topic of topics.slice(1, requests + 1)) await request(`${url}/history/${topic}`, end)
    const requestMs = (performance.now() - start) / requests
    return { requestMs, blockedMs: await server.request<number>('blockedMs') }
  })

const request = async (url: string, end: number): Promise<void> => {
  const response = await fetch(`${url}?from=${end - hourMs / 3}&to=${end}`)
  const prices = (await response.text()).split('"price"').length - 1
  if (prices !== pricesPerFile / 3) throw new Error(`${response.status} with ${prices} prices`)
}
