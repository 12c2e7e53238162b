import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { PriceFrames } from '../../../src/codec/fast-path/price-frames.js'
import { agreed, agreedLength, type Ending, type Piece, type Script } from './support/fake-raw.js'
import { close, ping, text } from './support/frames.js'
import { journalOf, type Journal, type Subject, type Taste } from './support/journal.js'
import * as streams from './support/streams.js'

// The law: over a lane, a `ws` WebSocket and what the lane takes tell together what the WebSocket alone would tell,
// in the same order, and answer the server the same.

const prices = new PriceFrames<string>()
for (const topic of streams.topics) prices.learn(streams.update(topic, '1'), topic)

const sum = (payload: Buffer): number => payload.reduce((total, byte) => total + byte, 0)

const tastes: Readonly<Record<string, Taste>> = {
  always: () => true,
  never: () => false,
  'by content': (payload) => sum(payload) % 2 === 0,
  'known prices': (payload) => prices.recognise(payload, 0, payload.length) !== undefined,
}

const told = ({ entries, sent }: Journal): string => [...entries, `sent ${sent}`].join('\n')

interface Tally {
  cases: number
  offered: number
  taken: number
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

const agrees = async (script: Script, subject: Omit<Subject, 'taste'>, tally: Tally): Promise<void> => {
  const [alone, ...overLanes] = await Promise.all([
    journalOf(script, { ...subject, taste: undefined }),
    ...Object.values(tastes).map((taste) => journalOf(script, { ...subject, taste })),
  ])
  const expected = told(alone)
  tally.texts += alone.entries.filter((entry) => entry.startsWith('text')).length
  for (const [index, journal] of overLanes.entries()) {
    tally.cases++
    tally.offered += journal.offered
    tally.taken += journal.taken
    // Much quicker than an assertion.
    if (told(journal) === expected) continue
    expect({ taste: Object.keys(tastes)[index], told: told(journal) }).toEqual({ told: expected })
  }
}

const caseOf = (stream: fc.Arbitrary<Buffer>): fc.Arbitrary<Case> =>
  fc.record({
    stream,
    how: streams.cut,
    ending: streams.ending,
    maxFrameBytes: fc.constantFrom(...streams.limits),
  })

const newTally = (): Tally => ({ cases: 0, offered: 0, taken: 0, texts: 0 })

const law = async (stream: fc.Arbitrary<Buffer>, numRuns: number): Promise<Tally> => {
  const tally = newTally()
  await fc.assert(
    fc.asyncProperty(caseOf(stream), (generated) =>
      agrees(scriptOf(generated), { maxFrameBytes: generated.maxFrameBytes }, tally),
    ),
    { numRuns },
  )
  return tally
}

/** The short way must not rot in silence. */
const expectTaken = (tally: Tally, atLeast: number): void => {
  expect(tally.taken, JSON.stringify(tally)).toBeGreaterThan(atLeast)
}

describe('a WebSocket over a lane tells what it would tell alone', { timeout: 120_000 }, () => {
  it('of frames that keep the rules', async () => {
    expectTaken(await law(streams.rightStream, 2200), 2000)
  })

  it('of a frame that breaks the rules or is the last, and of what comes after it', async () => {
    expectTaken(await law(streams.wrongStream, 3200), 1500)
  })

  it('of a stream that ends in the middle of a frame', async () => {
    expectTaken(await law(streams.truncated, 1800), 500)
  })

  it('of a stream with bytes changed, put in, and taken out', async () => {
    expectTaken(await law(streams.mutilated, 3200), 1500)
  })
})

// What is done from inside a handler depends on what was told, and so it is done at the same place over each lane.

type Reaction = NonNullable<Subject['react']>

const whenTold = (entry: string, modulus: number): boolean => sum(Buffer.from(entry)) % modulus === 0

const isOpen = (socket: WebSocket): boolean => socket.readyState === WebSocket.OPEN

const reactions: Readonly<Record<string, Reaction>> = {
  'closes the socket': (socket, entry) => {
    if (whenTold(entry, 5)) socket.close(1000, 'bye')
  },
  'sends and pings': (socket, entry) => {
    if (!isOpen(socket) || !whenTold(entry, 3)) return
    socket.send(entry)
    socket.ping('now')
  },
}

const pauses: Reaction = (socket, entry) => {
  if (!isOpen(socket) || !whenTold(entry, 3)) return
  socket.pause()
  setImmediate(() => socket.resume())
}

describe('so it does where a handler', { timeout: 120_000 }, () => {
  it.each(Object.entries(reactions))('%s', async (_what, react) => {
    const tally = newTally()
    await fc.assert(
      fc.asyncProperty(caseOf(fc.oneof(streams.rightStream, streams.wrongStream)), (of) =>
        agrees(scriptOf(of), { maxFrameBytes: of.maxFrameBytes, react }, tally),
      ),
      { numRuns: 600 },
    )
    expectTaken(tally, 300)
  })

  it('pauses for a turn of the event loop, during which nothing is offered', async () => {
    const tally = newTally()
    const ended = streams.rightStream.map((stream) => Buffer.concat([stream, close(1000)]))
    await fc.assert(
      fc.asyncProperty(caseOf(ended), (of) =>
        agrees(scriptOf({ ...of, ending: 'answered' }), { ...of, react: pauses }, tally),
      ),
      { numRuns: 600 },
    )
    expectTaken(tally, 300)
  })
})

describe('whatever the answer to the upgrade,', { timeout: 120_000 }, () => {
  const frames = Buffer.concat([text('one'), text('two'), ping('three'), text('four')])
  const status = (line: string, ...headers: string[]): Buffer =>
    Buffer.from([`HTTP/1.1 ${line}`, ...headers, '', ''].join('\r\n'))

  const answers: Readonly<Record<string, (accept: string) => Buffer>> = {
    agreed,
    'refused, with a body': () => status('503 Busy', `Content-Length: ${frames.length}`),
    'another page': () => status('200 OK'),
    'a page in chunks': () => status('200 OK', 'Transfer-Encoding: chunked'),
    'a redirect': () => status('302 Found', 'Location: ws://service.invalid/'),
    'agreed without a word of the upgrade': () => status('101 Yes'),
    'agreed with the wrong key': () =>
      status('101 Yes', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Accept: x'),
    'agreed to something else': (accept) =>
      status('101 Yes', 'Upgrade: h2c', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`),
    'agreed with a length': (accept) =>
      Buffer.from(agreed(accept).toString().replace('Connection', 'Content-Length: 5\r\nConnection')),
    'to go on': () => status('100 Continue'),
    'to go on, and then agreed': (accept) => Buffer.concat([status('100 Continue'), agreed(accept)]),
    'agreed after empty lines': (accept) => Buffer.concat([Buffer.from('\r\n\r\n'), agreed(accept)]),
    'agreed in lines that end otherwise': (accept) =>
      Buffer.from(agreed(accept).toString().replaceAll('\r\n', '\n')),
    'what is no HTTP': () => Buffer.from('SSH-2.0-OpenSSH\r\n\r\n'),
    nothing: () => Buffer.alloc(0),
  }

  it.each(Object.entries(answers))('it is the same: %s', async (_what, answer) => {
    const tally = newTally()
    await fc.assert(
      fc.asyncProperty(streams.cut, streams.ending, (how, ending) => {
        const script = { pieces: (accept: string) => streams.pieces(answer(accept), frames, how), ending }
        return agrees(script, { maxFrameBytes: 1000 }, tally)
      }),
      { numRuns: 100 },
    )
  })

  it('it is the same where it is cut in two, at each byte of it and of the frames after it', async () => {
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
    // Three texts each, of which a cut keeps at most one from being taken: over "always" alone.
    expect(tally.taken).toBeGreaterThan(2 * agreedLength)
  })
})
