import { createWriteStream, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { finished } from 'node:stream/promises'
import { left, right } from 'fp-ts/lib/Either.js'
import { NEVER, of, Subject } from 'rxjs'
import { createClient, type Address, type Client, type Price, type Topic } from 'svc-streams'
import { record, type RecordOptions } from 'svc-streams/recording'
import { startSimulator } from 'svc-streams/simulator'
import { createTestClient, depth, price, stale } from 'svc-streams/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newFolder } from '../../../support/new-folder.js'
import { marbles } from '../../../support/time/marbles.js'
import { rowsOf, memoryWriter } from '../support/rows.js'

const topic: Topic = 'svc-0xab'
const mint: Address = '0xab'

const clientOf = (prices$: Subject<Price> | typeof NEVER): Client =>
  createTestClient({ prices: { [topic]: prices$ } })

describe('record', () => {
  it('writes a header, and one line per event with its time', () => {
    const to = memoryWriter()
    const error = stale(topic, 5, price(topic, 2))
    marbles(({ cold }) => {
      const client = createTestClient({
        prices: { [topic]: cold('-p-(e|)', { p: price(topic, 1.5), e: left(error) }) },
        depths: {
          [mint]: cold('--d|', {
            d: depth(mint, { buy: { totalQuantity: 2n ** 70n, totalQuantityUsd: 3 } }),
          }),
        },
        errors$: cold('----u', {
          u: { _tag: 'UncorrelatedError', message: 'm', kind: 'binary', input: 'ff' },
        }),
      })
      record(client, { topics: [topic], mints: [mint], interval: 250, to })
    })
    expect(to.lines.every((line) => line.endsWith('\n'))).toBe(true)
    expect(to.lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { _tag: 'Recording', version: 1, at: 0, topics: [topic], mints: [mint], interval: 250 },
      { _tag: 'Status', at: 0, status: { _tag: 'Open', epoch: 1, since: 0 } },
      { _tag: 'Price', at: 1, topic, event: right(price(topic, 1.5)) },
      expect.objectContaining({ _tag: 'Depth', at: 2, mint }),
      { _tag: 'Price', at: 3, topic, event: left(error) },
      { _tag: 'End', at: 3, of: topic },
      { _tag: 'End', at: 3, of: mint },
    ])
    expect(to.text()).toContain('"totalQuantity":"1180591620717411303424"')
  })

  it('writes monotonic time, and begins a new recording when the wall clock differs by more than 1 s', () => {
    vi.useFakeTimers({
      now: 1_700_000_000_000,
      toFake: ['Date', 'performance', 'setInterval', 'clearInterval'],
    })
    const start = Date.now()
    const prices$ = new Subject<Price>()
    const to = memoryWriter()
    const recorder = record(clientOf(prices$), { topics: [topic], to })
    const emit = (afterMs: number, setBy: number): void => {
      vi.advanceTimersByTime(afterMs)
      vi.setSystemTime(Date.now() + setBy)
      prices$.next(price(topic, 1, { receivedAt: Date.now() }))
    }
    emit(2500, 0)
    emit(100, 7_200_000)
    emit(1400, -600_000)
    emit(500, 900)
    emit(500, -1800)
    emit(500, 1000)
    void recorder.stop()
    vi.useRealTimers()
    const lines = to.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.map(({ _tag, at }) => [_tag, Number(at) - start])).toEqual([
      ['Recording', 0],
      ['Status', 0],
      ['Price', 2500],
      ['Recording', 7_202_600],
      ['Price', 7_202_600],
      ['Recording', 6_604_000],
      ['Price', 6_604_000],
      ['Price', 6_604_500],
      ['Price', 6_604_500],
      ['Price', 6_605_500],
    ])
    const first = { _tag: 'Recording', version: 1, topics: [topic], mints: [], interval: 1000 }
    expect(lines.filter(({ _tag }) => _tag === 'Recording')).toEqual(
      [0, 7_202_600, 6_604_000].map((ms) => ({ ...first, at: start + ms })),
    )
  })

  it('ends and unsubscribes when all recorded streams have completed', async () => {
    const errors$ = new Subject<never>()
    const client = createTestClient({ prices: { [topic]: of(price(topic, 1)) }, errors$ })
    const recorder = record(client, { topics: [topic], to: memoryWriter() })
    expect(await recorder.finished).toEqual(rowsOf(3))
    expect(errors$.observed).toBe(false)
  })

  it('ends on stop() or async dispose, after all lines are written', async () => {
    const prices$ = new Subject<Price>()
    const callbacks: (() => void)[] = []
    const to = { write: (_: string, done: () => void) => callbacks.push(done) }
    const recorder = record(clientOf(prices$), { topics: [topic], to })
    prices$.next(price(topic, 1))
    expect([recorder.rows, recorder.pending]).toEqual([2, 3])
    let stopped = false
    const stopping = recorder.stop().then((result) => {
      stopped = true
      return result
    })
    expect(prices$.observed).toBe(false)
    callbacks.slice(1).forEach((done) => done())
    await Promise.resolve()
    expect(stopped).toBe(false)
    callbacks[0]?.()
    expect(await stopping).toEqual(rowsOf(2))
    await recorder[Symbol.asyncDispose]()
    expect(recorder.pending).toBe(0)
  })

  it('ends with a WriteError when a write fails', async () => {
    const prices$ = new Subject<Price>()
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    const to = { write: (_: string, done: (error?: Error) => void) => done(full) }
    const recorder = record(clientOf(prices$), { topics: [topic], to })
    expect(await recorder.finished).toEqual(
      left({
        _tag: 'WriteError',
        message: 'write failed: no space left',
        cause: { name: 'Error', message: 'no space left', code: 'ENOSPC' },
      }),
    )
    expect(prices$.observed).toBe(false)
  })

  it('ends with a WriteError on an error event, without another error listener', async () => {
    const to = createWriteStream(join(tmpdir(), 'svc-streams-nowhere', 'market.ndjson'))
    const recorder = record(clientOf(NEVER), { topics: [topic], to })
    expect(await recorder.finished).toMatchObject({ left: { _tag: 'WriteError', cause: { code: 'ENOENT' } } })
    // The error event follows the write callbacks.
    await finished(to).catch(() => undefined)
  })

  it('removes its error listener at the end', async () => {
    const to = new PassThrough()
    const recorder = record(clientOf(NEVER), { topics: [topic], to })
    expect(to.listenerCount('error')).toBe(1)
    to.resume()
    await recorder.stop()
    expect(to.listenerCount('error')).toBe(0)
  })

  it('ends with a WriteError when write() throws', async () => {
    const to = {
      write: () => {
        throw new Error('closed')
      },
    }
    const recorder = record(clientOf(NEVER), { topics: [topic], to })
    expect(await recorder.stop()).toMatchObject(left({ _tag: 'WriteError', message: 'write failed: closed' }))
  })

  it('records a stream once, whatever the case of its name', () => {
    const to = memoryWriter()
    record(createTestClient(), { topics: ['svc-0xAB', 'svc-0xab'], mints: ['0xCD', '0xcd'], to })
    expect(JSON.parse(to.lines[0]!)).toMatchObject({ topics: ['svc-0xAB'], mints: ['0xCD'] })
  })

  it.each<[string, Omit<RecordOptions, 'to'>, string]>([
    ['neither a topic nor a mint', {}, 'topics: expected a topic or a mint to record'],
    ['a malformed topic', { topics: ['0xab' as Topic] }, 'topics: expected topics like svc-0x82af…'],
    ['a malformed mint', { mints: ['ab' as Address] }, 'mints: expected token addresses like 0x82af…'],
    ['an interval of 0', { mints: [mint], interval: 0 }, 'interval: expected a finite number of at least 1'],
  ])('throws a ConfigurationError for %s', (_, options, message) => {
    const to = memoryWriter()
    expect(() => record(createTestClient(), { ...options, to })).toThrow(message)
    expect(to.lines).toEqual([])
  })
})

describe('record over real sockets', () => {
  const cleanups: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  it('writes to a file stream, and ends when the client closes', async () => {
    const folder = newFolder()
    const service = await startSimulator({ tick: 5 })
    cleanups.push(() => service.close())
    const { address } = service.tokens[0]!
    const client = createClient({ environment: 'mainnet', ...service })
    const file = createWriteStream(join(folder, 'market.ndjson'))
    const recorder = record(client, { topics: [`svc-${address}`], mints: [address], interval: 20, to: file })
    await vi.waitFor(() => expect(recorder.rows).toBeGreaterThan(50), { timeout: 20_000 })
    await client.close()
    expect(await recorder.finished).toEqual(rowsOf(recorder.rows))
    file.end()
    await finished(file)
    const lines = readFileSync(join(folder, 'market.ndjson'), 'utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(recorder.rows + 1)
    const tags = new Set(lines.map((line) => (JSON.parse(line) as { readonly _tag: string })._tag))
    expect([...tags].sort()).toEqual(['Depth', 'End', 'Price', 'Recording', 'Status'])
  })
})
