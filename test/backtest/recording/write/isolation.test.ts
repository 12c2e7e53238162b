import { runInNewContext } from 'node:vm'
import { finalize, firstValueFrom, NEVER, Subject, throwError, timer, type Observable } from 'rxjs'
import type { Client, Price, Topic } from 'svc-streams'
import { toStream$ } from 'svc-streams/operators'
import { record, type LineWriter, type Recorder } from 'svc-streams/recording'
import { createTestClient, price } from 'svc-streams/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { collectUnhandledErrors } from '../../../support/unhandled-errors.js'
import { memoryWriter, rowsOf } from '../support/rows.js'

const unhandled = collectUnhandledErrors()

// RxJS reports an exception in a timer of 0 ms. This timer fires after it.
const reported = (): Promise<unknown> => firstValueFrom(timer(1))

afterEach(reported)

const topic: Topic = 'svc-0xab'
const other: Topic = 'svc-0xcd'
const mine = new Error('mine')

const boom = (): never => {
  throw mine
}

/** The rows without their times, as `tag` or `tag of a stream`. */
const tagsOf = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => {
    const { _tag, topic: name, of } = JSON.parse(line) as Readonly<Record<string, string | undefined>>
    return [_tag, name ?? of].filter((each) => each !== undefined).join(' ')
  })

describe('record of a client whose stream', () => {
  const own$ = new Subject<Price>()
  const otherClient = (): Client => createTestClient({ prices: { [topic]: own$, [other]: NEVER } })

  it.each<[string, () => Partial<Client>]>([
    [
      'price$ fails',
      () => ({
        price$: (name) => (name === other ? toStream$(throwError(() => mine)) : otherClient().price$(name)),
      }),
    ],
    ['price$ throws', () => ({ price$: (name) => (name === other ? boom() : otherClient().price$(name)) })],
    ['depth$ fails', () => ({ depth$: () => toStream$(throwError(() => mine)) })],
    ['status$ fails', () => ({ status$: toStream$(throwError(() => mine)) })],
    ['errors$ fails', () => ({ errors$: toStream$(throwError(() => mine)) })],
  ])('%s records the others to their end', async (what, streams) => {
    const to = memoryWriter()
    const isDepth = what.startsWith('depth$')
    const isPrice = what.startsWith('price$')
    const recorder = record(
      { ...otherClient(), ...streams() },
      {
        topics: isPrice ? [topic, other] : [topic],
        mints: isDepth ? ['0xab'] : [],
        to,
      },
    )
    own$.next(price(topic, 1))
    await reported()
    expect(unhandled).toEqual([mine])
    own$.next(price(topic, 2))
    const tags = tagsOf(to.lines)
    expect(tags.filter((tag) => tag === `Price ${topic}`).length).toBe(2)
    const ended = [...(isPrice ? [`End ${other}`] : []), ...(isDepth ? ['End 0xab'] : [])]
    expect(tags.filter((tag) => tag.startsWith('End'))).toEqual(ended)
    expect(await recorder.stop()).toEqual(rowsOf(tags.length - 1))
  })

  it('fails last ends the recording', async () => {
    const failing$ = new Subject<Price>()
    const to = memoryWriter()
    const recorder = record(createTestClient({ prices: { [topic]: failing$ } }), { topics: [topic], to })
    failing$.next(price(topic, 1))
    failing$.error(mine)
    expect(await recorder.finished).toEqual(rowsOf(3))
    expect(tagsOf(to.lines).at(-1)).toBe(`End ${topic}`)
  })

  it.each<[string, (recorder: Recorder) => unknown]>([
    ['stop()', (recorder) => recorder.stop()],
    ['dispose', (recorder) => recorder[Symbol.asyncDispose]()],
  ])('throws in a teardown ends on %s', async (_, end) => {
    const prices$: Observable<Price> = NEVER.pipe(finalize(boom))
    const to = memoryWriter()
    const recorder = record(createTestClient({ prices: { [topic]: prices$ } }), { topics: [topic], to })
    await end(recorder)
    expect(await recorder.finished).toEqual(rowsOf(1))
  })
})

describe('record to a writer that', () => {
  const recordTo = (to: LineWriter): { recorder: Recorder; own$: Subject<Price> } => {
    const own$ = new Subject<Price>()
    return {
      own$,
      recorder: record(createTestClient({ prices: { [topic]: own$ } }), { topics: [topic], to }),
    }
  }
  const write = memoryWriter().write

  it('calls back twice ends when all lines are written', async () => {
    const callbacks: (() => void)[] = []
    const { own$, recorder } = recordTo({ write: (_, done) => callbacks.push(done) })
    own$.next(price(topic, 1))
    callbacks[0]!()
    callbacks[0]!()
    expect(recorder.pending).toBe(2)
    const stopped = recorder.stop()
    for (const done of callbacks) {
      done()
      done()
    }
    expect(await stopped).toEqual(rowsOf(2))
    expect(recorder.pending).toBe(0)
  })

  it.each<[string, Partial<LineWriter>]>([
    ['on', { on: boom }],
    ['off', { on: () => undefined, off: boom }],
  ])('throws in %s ends', async (_, methods) => {
    const { recorder } = recordTo({ write, ...methods })
    await recorder.stop()
  })

  it('calls back and throws ends with a WriteError', async () => {
    const { recorder } = recordTo({
      write: (_, done) => {
        done()
        boom()
      },
    })
    expect(await recorder.finished).toMatchObject({ left: { message: 'write failed: mine' } })
    expect(recorder.pending).toBe(0)
  })

  it('stops the recording and throws ends with a WriteError', async () => {
    const { own$, recorder } = recordTo({
      write: (line, done) => {
        if (!line.includes('"price":1')) {
          done()
          return
        }
        void recorder.stop()
        boom()
      },
    })
    own$.next(price(topic, 1))
    expect(await recorder.finished).toMatchObject({ left: { message: 'write failed: mine' } })
  })

  it('calls back with an error of another realm ends with a WriteError', async () => {
    const foreign = runInNewContext('new Error("full")') as Error
    const { recorder } = recordTo({ write: (_, done) => done(foreign) })
    expect(await recorder.finished).toMatchObject({ left: { _tag: 'WriteError' } })
  })

  it('stops the recording writes no further row', async () => {
    const lines: string[] = []
    const { own$, recorder } = recordTo({
      write: (line, done) => {
        lines.push(line)
        done()
        if (line.includes('"price":1')) void recorder.stop()
      },
    })
    own$.next(price(topic, 1))
    own$.next(price(topic, 2))
    expect(await recorder.finished).toEqual(rowsOf(2))
    expect(own$.observed).toBe(false)
    expect(lines.length).toBe(3)
  })

  it('stops on a row that cannot be encoded', async () => {
    const { own$, recorder } = recordTo({ write })
    const circular: Record<string, unknown> = { ...price(topic, 1), epoch: 'x' }
    circular['self'] = circular
    own$.next(circular as unknown as Price)
    expect(await recorder.finished).toMatchObject({ left: { _tag: 'WriteError' } })
  })
})
