import fs, { appendFileSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient, type Topic } from 'svc-streams'
import { GatewayError, startGateway } from 'svc-streams/gateway'
import { openHistory } from 'svc-streams/history'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { collectMessages } from '../../base/diagnostics/support/collect-messages.js'
import { eventsOf } from '../../backtest/history/support/files.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { compiledPath, spawnNode } from '../../support/process/node-process.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { startTestGateway } from '../support/start-test-gateway.js'
import { newFolder } from '../../support/new-folder.js'
import { recordingsIn } from './support/folder.js'

const clientOfSimulator = async () => createClientFor(await startTestSimulator())

/** Each write writes a part, and then fails. Returns the function that ends this. */
const fillDisk = (): (() => void) => {
  const { writeSync } = fs
  const restore = (): void => {
    fs.writeSync = writeSync
    syncBuiltinESMExports()
  }
  fs.writeSync = ((file: number, bytes: Uint8Array, offset: number) => {
    const length = bytes.length - offset
    if (length < 20)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    return writeSync(file, bytes, offset, Math.min(length - 10, 30))
  }) as typeof writeSync
  syncBuiltinESMExports()
  onTestFinished(restore)
  return restore
}

/** The command that serves a simulator with a history, once it is ready. */
const spawnGateway = async (folder: string) => {
  const child = spawnNode([
    compiledPath('src/cli/main.ts'),
    'gateway',
    '--simulate',
    '--history',
    folder,
    '--keep',
    '7d',
  ])
  await eventually(() => expect(child.stdout).toContain('Ctrl-C'))
  const url = /SVC_GATEWAY=(\S+)/.exec(child.stdout)![1]!
  const topic = `svc-${/0x[0-9a-f]{40}/i.exec(child.stdout)![0]}` as Topic
  const consumer = closeAfterTest(
    createClient({ environment: 'mainnet', priceBaseUrl: url, priceWsUrl: url.replace('http', 'ws') }),
  )
  return { child, url, topic, ...collectEvents(consumer.price$(topic)) }
}

describe('a killed gateway', () => {
  it('loses no price that a consumer has seen, and the next one takes its lock over', async () => {
    const folder = newFolder()
    const first = await spawnGateway(folder)
    await eventually(() => expect(first.values().length).toBeGreaterThan(5))
    first.child.process.kill('SIGKILL')
    await first.child.waitForExit()
    const seen = first.values().map(({ price }) => price)
    const [file = ''] = recordingsIn(folder)
    // A crash of the machine may cut a row off.
    appendFileSync(file, readFileSync(file, 'utf8').split('\n').at(-2)!.slice(0, 50))
    const cut = readFileSync(file, 'utf8')
    const past = await eventsOf(openHistory([file]).prices$(first.topic, { from: 0 }))
    const prices = past.flatMap((event) =>
      isRight(event) && event.right._tag === 'PastPrice' ? [event.right.price] : [],
    )
    expect(prices.slice(0, seen.length)).toEqual(seen)

    const second = await spawnGateway(folder)
    await eventually(() => expect(second.values().length).toBeGreaterThan(2))
    const events = await eventsOf(openHistory(second.url).prices$(first.topic, { from: 0 }))
    expect(events.every(isRight)).toBe(true)
    expect(events.filter((event) => isRight(event) && event.right._tag === 'Gap')).toMatchObject([
      { right: { from: 0 } },
      { right: { cause: 'unrecorded' } },
    ])
    expect(readFileSync(file, 'utf8')).toBe(cut)
  })
})

describe('the folder of a history', () => {
  it('is refused while another gateway has it, of this process or of another one', async () => {
    const folder = newFolder()
    const client = await clientOfSimulator()
    await startTestGateway(client, { history: { folder } })
    await expect(startGateway(client, { history: { folder } })).rejects.toThrow(
      `history.folder: is in use by another gateway, with the process id ${process.pid}`,
    )
    const command = spawnNode([compiledPath('src/cli/main.ts'), 'gateway', '--simulate', '--history', folder])
    expect(await command.waitForExit()).toBe(1)
    expect(command.stderr).toContain(`--history: is in use by another gateway`)
    expect(command.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('is required for --keep, and both are for HTTP', async () => {
    const run = async (...args: readonly string[]) => {
      const command = spawnNode([compiledPath('src/cli/main.ts'), 'gateway', ...args])
      return `${await command.waitForExit()} ${command.stderr}`
    }
    expect(await run('--simulate', '--keep', '7d')).toMatch(/^2 .*--keep: add --history/s)
    expect(await run('--nats', 'nats://127.0.0.1:1', '--history', 'x')).toMatch(
      /^2 error: --history: cannot be combined with --nats/,
    )
  })

  it('is free after `close`, and after a start that failed', async () => {
    const folder = newFolder()
    const client = await clientOfSimulator()
    const first = await startTestGateway(client, { history: { folder } })
    const port = Number(new URL(first.baseUrl).port)
    const other = newFolder()
    await expect(startGateway(client, { port, history: { folder: other } })).rejects.toThrow(GatewayError)
    await startTestGateway(client, { history: { folder: other } })
    await first.close()
    await startTestGateway(client, { history: { folder } })
  })

  it('is taken over from a process that has ended, also if another one has its id now', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'history.lock'), '1 12345678\n')
    await startTestGateway(await clientOfSimulator(), { history: { folder } })
  })

  it('is a GatewayError if it is a file, cannot be created, or has the history of another service', async () => {
    const client = await clientOfSimulator()
    const folder = newFolder()
    const file = join(folder, 'file')
    writeFileSync(file, '')
    await expect(startGateway(client, { history: { folder: file } })).rejects.toMatchObject({
      name: 'GatewayError',
      option: 'history.folder',
      problem: expect.stringMatching(/^cannot be written to \(E/) as string,
    })
    if (process.platform === 'linux')
      await expect(startGateway(client, { history: { folder: '/proc/x/y' } })).rejects.toThrow(
        'history.folder: cannot be written to (ENOENT)',
      )
    writeFileSync(join(folder, 'acme-0xab.2026-11-22T10-00-00Z.ndjson'), '{}\n')
    await expect(startGateway(client, { history: { folder } })).rejects.toThrow(
      'history.folder: has the history of the service acme',
    )
  })

  it('loses the files whose prices are all older than `keep`, and no other file', async () => {
    const folder = newFolder()
    const nameAt = (ms: number) =>
      join(folder, `${ethTopic}.${new Date(ms).toISOString().slice(0, 19).replaceAll(':', '-')}Z.ndjson`)
    const hour = 3_600_000
    const now = Date.parse('2026-11-22T10:30:00Z')
    vi.useFakeTimers({ now, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const [old, kept] = [nameAt(now - 25 * hour), nameAt(now - 24.5 * hour)]
    for (const path of [old, kept, join(folder, 'notes.txt')]) {
      writeFileSync(path, 'x\n')
      utimesSync(path, 0, 0)
    }
    await startTestGateway(await clientOfSimulator(), { history: { folder, keep: 24 * hour } })
    await eventually(() => expect(recordingsIn(folder)).toEqual([kept]))
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('x\n')
  })

  it('may be on a full disk: prices go on, and what is written again is read with a gap', async () => {
    const folder = newFolder()
    const messages = collectMessages('svc-streams:gateway-history')
    const client = await clientOfSimulator()
    const gateway = await startTestGateway(client, { history: { folder, topics: [ethTopic] } })
    const pastOf = () => eventsOf(openHistory(gateway.baseUrl).prices$(ethTopic, { from: 0 }))
    await eventually(async () => expect((await pastOf()).length).toBeGreaterThan(3))
    expect(gateway.inspect().history?.failure).toBeUndefined()
    const before = Date.now()
    const restore = fillDisk()
    await eventually(() => expect(messages).toMatchObject([{ error: { cause: { code: 'ENOSPC' } } }]))
    const { failure } = gateway.inspect().history ?? {}
    expect(failure?.code).toBe('ENOSPC')
    expect(failure?.message).toContain('no space left')
    expect(failure?.since).toBeGreaterThanOrEqual(before)
    const health: unknown = await (await fetch(`${gateway.baseUrl}/health`)).json()
    expect(health).toMatchObject({ status: 'up', history: { status: 'down', error: 'ENOSPC' } })
    const { values } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(values().length).toBeGreaterThan(5))
    expect(await pastOf()).toMatchObject([{ left: { _tag: 'HttpError', status: 503 } }])
    expect(messages).toHaveLength(1)
    restore()
    await gateway.close()
    const next = await startTestGateway(client, { history: { folder, topics: [ethTopic] } })
    await eventually(async () => {
      const events = await eventsOf(openHistory(next.baseUrl).prices$(ethTopic, { from: 0 }))
      expect(events.at(-1)).toMatchObject({ right: { _tag: 'PastPrice' } })
      expect(events.filter((event) => isRight(event) && event.right._tag === 'Gap')).toHaveLength(2)
    })
  })

  it('may be lost: prices go on, readers get an error, and the operator one message, until it is back', async () => {
    const folder = join(newFolder(), 'history')
    mkdirSync(folder)
    const messages = collectMessages('svc-streams:gateway-history')
    const client = await clientOfSimulator()
    const gateway = await startTestGateway(client, { history: { folder, topics: [ethTopic] } })
    const history = openHistory(gateway.baseUrl)
    const pastOf = () => eventsOf(history.prices$(ethTopic, { from: Date.now() - 1000 }))
    await eventually(() => expect(recordingsIn(folder)).toHaveLength(1))
    renameSync(folder, `${folder}-away`)
    expect(await pastOf()).toMatchObject([{ left: { _tag: 'HttpError', status: 503, retryAfterMs: 10_000 } }])
    expect(await history.topics()()).toMatchObject({ left: { _tag: 'HttpError', status: 503 } })
    expect(messages).toMatchObject([{ error: { _tag: 'WriteError', cause: { code: 'ENOENT' } } }])
    const { values } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(values().length).toBeGreaterThan(5))
    renameSync(`${folder}-away`, folder)
    await eventually(async () => expect((await pastOf()).every(isRight)).toBe(true))
    await eventually(() => expect(recordingsIn(folder)).toHaveLength(2))
    expect(messages).toMatchObject([{}, { error: undefined }])
    expect(gateway.inspect().history).toMatchObject({ folder, failure: undefined })
  })
})
