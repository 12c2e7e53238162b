import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { caseCount } from '../../../support/run/long.js'
import { upgradeResponse } from '../../../support/network/upgrade.js'
import type { EventLogOptions } from './support/event-log.js'
import { upgradeResponseLength, type Ending, type Piece, type Script } from './support/fake-tcp-socket.js'
import { close, ping, text } from './support/frames.js'
import { frameLimits } from './support/invalid-frames.js'
import { anyEnding, anySplitting, splitStream, type Splitting } from './support/pieces.js'
import { expectRemoved, expectSameEvents, newTally, sum, type Tally } from './support/same-events.js'
import { changedStream, invalidStream, truncatedStream, validStream } from './support/streams.js'

// Differential test: a `ws` WebSocket over a tap, together with the tap's text frames, has the events of a WebSocket
// without a tap, in the same order, and sends the same bytes to the service.

interface Case {
  readonly stream: Buffer
  readonly splitting: Splitting
  readonly ending: Ending
  readonly maxFrameBytes: number
}

const scriptOf = ({ stream, splitting, ending }: Case): Script => ({
  pieces: (accept) => splitStream(upgradeResponse(accept), stream, splitting),
  ending,
})

const caseOf = (stream: fc.Arbitrary<Buffer>): fc.Arbitrary<Case> =>
  fc.record({
    stream,
    splitting: anySplitting,
    ending: anyEnding,
    maxFrameBytes: fc.constantFrom(...frameLimits),
  })

const checkStreams = async (stream: fc.Arbitrary<Buffer>, numRuns: number): Promise<Tally> => {
  const tally = newTally()
  await fc.assert(
    fc.asyncProperty(caseOf(stream), (generated) =>
      expectSameEvents(scriptOf(generated), { maxFrameBytes: generated.maxFrameBytes }, tally),
    ),
    { numRuns: caseCount(numRuns) },
  )
  return tally
}

describe('a WebSocket over a tap has the events of one without a tap', { timeout: 120_000 }, () => {
  it('for valid frames', async () => {
    expectRemoved(await checkStreams(validStream, 1100))
  })

  it('for an invalid or closing frame, and the frames after it', async () => {
    expectRemoved(await checkStreams(invalidStream, 1600))
  })

  it('for a stream that ends inside a frame', async () => {
    expectRemoved(await checkStreams(truncatedStream, 900))
  })

  it('for a stream with bytes changed, inserted and removed', async () => {
    expectRemoved(await checkStreams(changedStream, 1600))
  })
})

// A reaction depends only on the event, so that it occurs at the same event over each tap.

type Reaction = NonNullable<EventLogOptions['react']>

const shouldReact = (event: string, modulus: number): boolean => sum(Buffer.from(event)) % modulus === 0

const isOpen = (socket: WebSocket): boolean => socket.readyState === WebSocket.OPEN

const reactions: Readonly<Record<string, Reaction>> = {
  'closes the socket': (socket, event) => {
    if (shouldReact(event, 5)) socket.close(1000, 'bye')
  },
  'sends and pings': (socket, event) => {
    if (!isOpen(socket) || !shouldReact(event, 3)) return
    socket.send(event)
    socket.ping('now')
  },
}

const pause: Reaction = (socket, event) => {
  if (!isOpen(socket) || !shouldReact(event, 3)) return
  socket.pause()
  setImmediate(() => socket.resume())
}

describe('a WebSocket over a tap has the same events if a handler', { timeout: 120_000 }, () => {
  it.each(Object.entries(reactions))('%s', async (_what, react) => {
    const tally = newTally()
    await fc.assert(
      fc.asyncProperty(caseOf(fc.oneof(validStream, invalidStream)), (generated) =>
        expectSameEvents(scriptOf(generated), { maxFrameBytes: generated.maxFrameBytes, react }, tally),
      ),
      { numRuns: caseCount(300) },
    )
    expectRemoved(tally)
  })

  it('pauses for a turn of the event loop', async () => {
    const tally = newTally()
    const closedStream = validStream.map((stream) => Buffer.concat([stream, close(1000)]))
    await fc.assert(
      fc.asyncProperty(caseOf(closedStream), (generated) =>
        expectSameEvents(
          scriptOf({ ...generated, ending: 'after-client' }),
          { ...generated, react: pause },
          tally,
        ),
      ),
      { numRuns: caseCount(300) },
    )
    expectRemoved(tally)
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
      'accepts it': upgradeResponse,
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
        Buffer.from(
          upgradeResponse(accept).toString().replace('Connection', 'Content-Length: 5\r\nConnection'),
        ),
      'has status 100': () => status('100 Continue'),
      'has status 100 before it accepts': (accept) =>
        Buffer.concat([status('100 Continue'), upgradeResponse(accept)]),
      'starts with empty lines': (accept) =>
        Buffer.concat([Buffer.from('\r\n\r\n'), upgradeResponse(accept)]),
      'has other line ends': (accept) =>
        Buffer.from(upgradeResponse(accept).toString().replaceAll('\r\n', '\n')),
      'is not HTTP': () => Buffer.from('SSH-2.0-OpenSSH\r\n\r\n'),
      'is empty': () => Buffer.alloc(0),
    }

    it.each(Object.entries(responses))('%s', async (_what, responseTo) => {
      const tally = newTally()
      await fc.assert(
        fc.asyncProperty(anySplitting, anyEnding, (splitting, ending) => {
          const script = {
            pieces: (accept: string) => splitStream(responseTo(accept), frames, splitting),
            ending,
          }
          return expectSameEvents(script, { maxFrameBytes: 1000 }, tally)
        }),
        { numRuns: caseCount(100) },
      )
    })

    it('arrives in two reads, cut at any byte of it and of the frames after it', async () => {
      const tally = newTally()
      for (let at = 0; at <= upgradeResponseLength + frames.length; at++) {
        const splitAtIndex = (accept: string): readonly Piece[] => {
          const all = Buffer.concat([upgradeResponse(accept), frames])
          return [all.subarray(0, at), all.subarray(at)]
            .filter((bytes) => bytes.length > 0)
            .map((bytes) => ({ bytes, sameTurn: at % 2 === 0 }))
        }
        await expectSameEvents({ pieces: splitAtIndex, ending: 'end' }, { maxFrameBytes: 1000 }, tally)
      }
      // Each case has three texts, and the split prevents the removal of at most one. Only "always" removes them for certain.
      expect(tally.removed).toBeGreaterThan(2 * upgradeResponseLength)
    })
  },
)
