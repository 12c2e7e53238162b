import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { PriceFrames } from '../../../src/codec/fast-path/price-frames.js'
import { agreed } from '../../support/network/upgrade.js'
import { agreedLength, type Ending, type Piece, type Script } from './support/fake-raw.js'
import { close, ping, text } from './support/frames.js'
import { journalOf, type Journal, type Subject, type Removes } from './support/journal.js'
import * as streams from './support/streams.js'
import { sample } from '../../support/long.js'

// Differential test: a `ws` WebSocket over a tap, together with the tap's text frames, has the events of a WebSocket
// without a tap, in the same order, and sends the same bytes to the service.

const prices = new PriceFrames<string>()
for (const topic of streams.topics) prices.learn(streams.update(topic, '1'), topic)

const sum = (payload: Buffer): number => payload.reduce((total, byte) => total + byte, 0)

const removals: Readonly<Record<string, Removes>> = {
  always: () => true,
  never: () => false,
  'by content': (payload) => sum(payload) % 2 === 0,
  'learned prices': (payload) => prices.recognise(payload, 0, payload.length) !== undefined,
}

const transcriptOf = ({ entries, sent }: Journal): string => [...entries, `sent ${sent}`].join('\n')

interface Tally {
  cases: number
  calls: number
  removed: number
  texts: number
}

interface Case {
  readonly stream: Buffer
  readonly how: streams.Cut
  readonly ending: Ending
  readonly maxFrameBytes: number
}

const scriptOf = ({ stream, how, ending }: Case): Script => ({
  pieces: (accept) => streams.pieces(agreed(accept), stream, how),
  ending,
})

const agrees = async (script: Script, subject: Omit<Subject, 'removes'>, tally: Tally): Promise<void> => {
  const [withoutTap, ...overTaps] = await Promise.all([
    journalOf(script, { ...subject, removes: undefined }),
    ...Object.values(removals).map((removes) => journalOf(script, { ...subject, removes })),
  ])
  const expected = transcriptOf(withoutTap)
  tally.texts += withoutTap.entries.filter((entry) => entry.startsWith('text')).length
  for (const [index, journal] of overTaps.entries()) {
    tally.cases++
    tally.calls += journal.calls
    tally.removed += journal.removed
    // Much faster than an assertion.
    if (transcriptOf(journal) === expected) continue
    expect({ removal: Object.keys(removals)[index], transcript: transcriptOf(journal) }).toEqual({
      transcript: expected,
    })
  }
}

const caseOf = (stream: fc.Arbitrary<Buffer>): fc.Arbitrary<Case> =>
  fc.record({
    stream,
    how: streams.cut,
    ending: streams.ending,
    maxFrameBytes: fc.constantFrom(...streams.limits),
  })

const newTally = (): Tally => ({ cases: 0, calls: 0, removed: 0, texts: 0 })

const checkStreams = async (stream: fc.Arbitrary<Buffer>, numRuns: number): Promise<Tally> => {
  const tally = newTally()
  await fc.assert(
    fc.asyncProperty(caseOf(stream), (generated) =>
      agrees(scriptOf(generated), { maxFrameBytes: generated.maxFrameBytes }, tally),
    ),
    { numRuns: sample(numRuns) },
  )
  return tally
}

/** A minimum share must take the fast path, so that it cannot become unused without notice. */
const expectRemoved = (tally: Tally, atLeast: number): void => {
  expect(tally.removed, JSON.stringify(tally)).toBeGreaterThan(sample(atLeast))
}

describe('a WebSocket over a tap has the events of one without a tap', { timeout: 120_000 }, () => {
  it('for valid frames', async () => {
    expectRemoved(await checkStreams(streams.validStream, 2200), 2000)
  })

  it('for an invalid or closing frame, and the frames after it', async () => {
    expectRemoved(await checkStreams(streams.invalidStream, 3200), 1500)
  })

  it('for a stream that ends inside a frame', async () => {
    expectRemoved(await checkStreams(streams.truncated, 1800), 500)
  })

  it('for a stream with bytes changed, inserted and removed', async () => {
    expectRemoved(await checkStreams(streams.mutilated, 3200), 1500)
  })
})

// A reaction depends on the event only, so that it happens at the same event over each tap.

type Reaction = NonNullable<Subject['react']>

const shouldReact = (entry: string, modulus: number): boolean => sum(Buffer.from(entry)) % modulus === 0

const isOpen = (socket: WebSocket): boolean => socket.readyState === WebSocket.OPEN

const reactions: Readonly<Record<string, Reaction>> = {
  'closes the socket': (socket, entry) => {
    if (shouldReact(entry, 5)) socket.close(1000, 'bye')
  },
  'sends and pings': (socket, entry) => {
    if (!isOpen(socket) || !shouldReact(entry, 3)) return
    socket.send(entry)
    socket.ping('now')
  },
}

const pauses: Reaction = (socket, entry) => {
  if (!isOpen(socket) || !shouldReact(entry, 3)) return
  socket.pause()
  setImmediate(() => socket.resume())
}

describe('a WebSocket over a tap has the same events if a handler', { timeout: 120_000 }, () => {
  it.each(Object.entries(reactions))('%s', async (_what, react) => {
    const tally = newTally()
    await fc.assert(
      fc.asyncProperty(caseOf(fc.oneof(streams.validStream, streams.invalidStream)), (of) =>
        agrees(scriptOf(of), { maxFrameBytes: of.maxFrameBytes, react }, tally),
      ),
      { numRuns: sample(600) },
    )
    expectRemoved(tally, 300)
  })

  it('pauses for a turn of the event loop', async () => {
    const tally = newTally()
    const ended = streams.validStream.map((stream) => Buffer.concat([stream, close(1000)]))
    await fc.assert(
      fc.asyncProperty(caseOf(ended), (of) =>
        agrees(scriptOf({ ...of, ending: 'after-client' }), { ...of, react: pauses }, tally),
      ),
      { numRuns: sample(600) },
    )
    expectRemoved(tally, 300)
  })
})

describe(
  'a WebSocket over a tap has the same events for a response to the upgrade that',
  { timeout: 120_000 },
  () => {
    const frames = Buffer.concat([text('one'), text('two'), ping('three'), text('four')])
    const status = (line: string, ...headers: string[]): Buffer =>
      Buffer.from([`HTTP/1.1 ${line}`, ...headers, '', ''].join('\r\n'))

    const responses: Readonly<Record<string, (accept: string) => Buffer>> = {
      'accepts it': agreed,
      'rejects it with a body': () => status('503 Busy', `Content-Length: ${frames.length}`),
      'has status 200': () => status('200 OK'),
      'is chunked': () => status('200 OK', 'Transfer-Encoding: chunked'),
      redirects: () => status('302 Found', 'Location: ws://service.invalid/'),
      'has no upgrade headers': () => status('101 Yes'),
      'has a wrong key': () =>
        status('101 Yes', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Accept: x'),
      'upgrades to another protocol': (accept) =>
        status('101 Yes', 'Upgrade: h2c', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`),
      'has a Content-Length': (accept) =>
        Buffer.from(agreed(accept).toString().replace('Connection', 'Content-Length: 5\r\nConnection')),
      'has status 100': () => status('100 Continue'),
      'has status 100 before it accepts': (accept) => Buffer.concat([status('100 Continue'), agreed(accept)]),
      'starts with empty lines': (accept) => Buffer.concat([Buffer.from('\r\n\r\n'), agreed(accept)]),
      'has other line ends': (accept) => Buffer.from(agreed(accept).toString().replaceAll('\r\n', '\n')),
      'is not HTTP': () => Buffer.from('SSH-2.0-OpenSSH\r\n\r\n'),
      'is empty': () => Buffer.alloc(0),
    }

    it.each(Object.entries(responses))('%s', async (_what, responseTo) => {
      const tally = newTally()
      await fc.assert(
        fc.asyncProperty(streams.cut, streams.ending, (how, ending) => {
          const script = {
            pieces: (accept: string) => streams.pieces(responseTo(accept), frames, how),
            ending,
          }
          return agrees(script, { maxFrameBytes: 1000 }, tally)
        }),
        { numRuns: sample(100) },
      )
    })

    it('arrives in two reads, cut at any byte of it and of the frames after it', async () => {
      const tally = newTally()
      for (let at = 0; at <= agreedLength + frames.length; at++) {
        const cutAt = (accept: string): readonly Piece[] => {
          const all = Buffer.concat([agreed(accept), frames])
          return [all.subarray(0, at), all.subarray(at)]
            .filter((bytes) => bytes.length > 0)
            .map((bytes) => ({ bytes, atOnce: at % 2 === 0 }))
        }
        await agrees({ pieces: cutAt, ending: 'end' }, { maxFrameBytes: 1000 }, tally)
      }
      // Each case has three texts. The cut prevents the removal of at most one. Counts "always" alone.
      expect(tally.removed).toBeGreaterThan(2 * agreedLength)
    })
  },
)
