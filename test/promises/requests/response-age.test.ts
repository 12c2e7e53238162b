import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { depthBody } from '../../support/fake-http.js'
import { startHttpServer } from '../../support/network/servers.js'
import { compiledPath, spawnNode, type NodeProcess } from '../../support/process/node-process.js'
import { eventually } from '../../support/time/eventually.js'
import { describeUnless } from '../../support/run/skip.js'

// The client is a process of its own, which is stopped, or whose event loop is blocked, while its responses arrive.

/** The requests of one round: `depth()`, `price()` and `depth$`. */
const kinds = 3

/** In ms: longer than a response may seem younger than it is, and shorter than the default of `maxLag`. */
const pauseMs = 1500

interface Result {
  readonly kind: string
  readonly tag: string
  readonly receivedAt?: number
}

/** Ends a response. Returns the time after which no byte of it is sent. */
const respond = async (url: string, response: ServerResponse): Promise<number> => {
  await new Promise<void>((resolve) => response.end(url.includes('/price/') ? '1.5' : depthBody(), resolve))
  return Date.now()
}

/** A client in a process, and the requests that it has sent and that have no response. */
const startClient = async (transport: string, maxLag = 5000) => {
  const pending: (readonly [url: string, response: ServerResponse])[] = []
  const origin = await startHttpServer(({ url = '' }, response) => pending.push([url, response]))
  const client = spawnNode([
    compiledPath('test/promises/programs/requests.ts'),
    origin,
    transport,
    String(maxLag),
  ])
  await eventually(() => client.stdout.includes('ready'))
  const results = (): readonly Result[] =>
    client.stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Result)
  /** Responds to the requests of a round. Returns the time of the last byte. */
  const respondToAll = async (): Promise<number> => {
    const times = await Promise.all(pending.splice(0).map(([url, response]) => respond(url, response)))
    return Math.max(...times)
  }
  const send = (command: string): unknown => client.process.stdin?.write(`${command}\n`)
  const requested = (): Promise<unknown> => eventually(() => expect(pending).toHaveLength(kinds))
  return { client, results, send, requested, respondToAll }
}

/** Resolves when a time has passed. */
const elapsed = (ms: number): Promise<unknown> => {
  const start = performance.now()
  return eventually(() => performance.now() - start > ms)
}

const isStopped = ({ process: { pid } }: NodeProcess): boolean =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('T') === true

/** Stops a process while its responses arrive. Returns the time of the last byte. */
const arriveWhileStopped = async (
  { client, respondToAll }: Awaited<ReturnType<typeof startClient>>,
  ms: number,
): Promise<number> => {
  client.process.kill('SIGSTOP')
  await eventually(() => isStopped(client))
  const lastByteAt = await respondToAll()
  await elapsed(ms)
  client.process.kill('SIGCONT')
  return lastByteAt
}

const noSignals = process.platform === 'linux' ? undefined : 'needs SIGSTOP and /proc'

const transports = ['undici', 'fetch']

/** Waits for the results of a round. */
const tagsOf = async (results: () => readonly Result[]): Promise<readonly string[]> => {
  await eventually(() => expect(results()).toHaveLength(kinds))
  return [...new Set(results().map(({ tag }) => tag))]
}

describe('a response that arrives while the process does not read, for less than maxLag', () => {
  const expectReceivedBy = async (results: () => readonly Result[], lastByteAt: number): Promise<void> => {
    expect(await tagsOf(results)).toEqual(['Right'])
    for (const { receivedAt } of results()) {
      expect(receivedAt).toBeLessThanOrEqual(lastByteAt + 1000)
      expect(receivedAt).toBeGreaterThan(lastByteAt - 1000)
    }
  }

  it.each(transports)(
    'has a receivedAt of at most 1 s later, after a blocked event loop, over %s',
    async (transport) => {
      const { client, results, send, requested, respondToAll } = await startClient(transport)
      send('request')
      await requested()
      send(`block ${pauseMs}`)
      await eventually(() => client.stdout.includes('blocked'))
      await expectReceivedBy(results, await respondToAll())
    },
  )

  describeUnless(noSignals)('in a process that is stopped', () => {
    it.each(transports)('has a receivedAt of at most 1 s later, over %s', async (transport) => {
      const started = await startClient(transport)
      started.send('request')
      await started.requested()
      await expectReceivedBy(started.results, await arriveWhileStopped(started, pauseMs))
    })
  })
})

describeUnless(noSignals)('a response that is read later than maxLag after its request', () => {
  const maxLag = 1000

  it.each(transports)('is requested once more, over %s', async (transport) => {
    const started = await startClient(transport, maxLag)
    started.send('request')
    await started.requested()
    await arriveWhileStopped(started, maxLag)
    await started.requested()
    expect(started.results()).toEqual([])
    await started.respondToAll()
    expect(await tagsOf(started.results)).toEqual(['Right'])
  })

  it.each(transports)('is a Timeout the second time, over %s', async (transport) => {
    const started = await startClient(transport, maxLag)
    started.send('request')
    for (let round = 0; round < 2; round++) {
      await started.requested()
      await arriveWhileStopped(started, maxLag)
    }
    expect(await tagsOf(started.results)).toEqual(['Timeout'])
  })
})
