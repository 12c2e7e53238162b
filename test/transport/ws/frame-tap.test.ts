import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { PriceFrames } from '../../../src/codec/fast-path/price-frames.js'
import type { FrameTap, OnTextFrame } from '../../../src/transport/ws/frame-tap.js'
import { wsTransport } from '../../../src/transport/ws/ws-transport.js'
import { selfSigned, type Certified } from '../../support/network/certificate.js'
import { recorder, type Recorder } from '../support/recorder.js'
import { tcpServer, webSocketServer } from '../../support/network/servers.js'
import { acceptOf, agreed } from '../../support/network/upgrade.js'
import { econnreset, FakeRaw, type Ending, type Script } from './support/fake-raw.js'
import { binary, close, frame, opcode, ping, pong, text } from './support/frames.js'
import { journalOf, tapOver, optionsFor, type Journal, type Subject } from './support/journal.js'
import { update } from './support/streams.js'
import { nextTurn } from '../../support/event-loop.js'

const maxFrameBytes = 100_000

const always = () => true

const hex = (content: string): string => Buffer.from(content).toString('hex')

/** Sends the handshake, then each piece, each in its own turn of the event loop. */
const script = (pieces: readonly Buffer[], ending: Ending = 'end'): Script => ({
  pieces: (accept) => [agreed(accept), ...pieces].map((bytes) => ({ bytes, atOnce: false })),
  ending,
})

/** Sends everything in one piece, including the handshake. */
const inOnePiece = (...frames: readonly Buffer[]): Script => ({
  pieces: (accept) => [{ bytes: Buffer.concat([agreed(accept), ...frames]), atOnce: false }],
  ending: 'end',
})

const playOverTap = (of: Script, subject: Partial<Subject> = {}): Promise<Journal> =>
  journalOf(of, { removes: always, maxFrameBytes, ...subject })

/** A tap over a fake socket, and the bytes that it forwards. It has no reader before `startReading`. */
const openTap = (onTextFrame: OnTextFrame, limit = maxFrameBytes) => {
  const raw = new FakeRaw()
  const tap = tapOver(raw, limit, onTextFrame)
  const forwarded: Buffer[] = []
  const receive = (...pieces: readonly Buffer[]): void => {
    for (const piece of pieces) raw.emit('data', piece)
  }
  const startReading = async (): Promise<void> => {
    tap.on('data', (piece: Buffer) => forwarded.push(piece))
    await nextTurn()
  }
  return { raw, tap, forwarded, receive, startReading }
}

const contentOf = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString()

/** Records the payloads of text frames. `removes` decides which of them it handles. */
const recordPayloads = (removes: (content: string) => boolean = always) => {
  const payloads: string[] = []
  const onTextFrame: OnTextFrame = (bytes, start, end) => {
    const content = contentOf(bytes, start, end)
    payloads.push(content)
    return removes(content)
  }
  return { payloads, onTextFrame }
}

const handshake = agreed(acceptOf(''))

/** Feeds pieces to a tap with a reader. Returns the bytes that it forwards after the handshake. */
const feed = async (onTextFrame: OnTextFrame, pieces: readonly Buffer[], limit?: number): Promise<Buffer> => {
  const { forwarded, receive, startReading } = openTap(onTextFrame, limit)
  await startReading()
  receive(handshake, ...pieces)
  return Buffer.concat(forwarded).subarray(handshake.length)
}

const filled = (length: number): Buffer =>
  frame({ opcode: opcode.text, payload: Buffer.alloc(length, length % 2 === 0 ? 'e' : 'o') })

describe('FrameTap calls onTextFrame', () => {
  it.each([0, 1, 124, 125])('with a text of %i bytes, and with the next text', async (length) => {
    const { payloads, onTextFrame } = recordPayloads()
    expect(await feed(onTextFrame, [Buffer.concat([filled(length), text('next')])])).toHaveLength(0)
    expect(payloads.map((content) => content.length)).toEqual([length, 4])
  })

  it.each([126, 127, 255, 256, 65_535, 65_536, maxFrameBytes])(
    'with the text after one of %i bytes, which arrives in any pieces',
    async (length) => {
      const long = filled(length)
      for (const at of [0, 1, 2, 3, 4, 5, 9, 10, 11, 126, long.length - 1, long.length]) {
        const { payloads, onTextFrame } = recordPayloads((content) => content === 'next')
        const forwarded = await feed(onTextFrame, [
          long.subarray(0, at),
          Buffer.concat([long.subarray(at), text('next')]),
        ])
        expect(forwarded.equals(long)).toBe(true)
        expect(payloads.at(-1)).toBe('next')
      }
    },
  )

  it.each<[string, Buffer]>([
    ['a text above maxFrameBytes', filled(101)],
    [
      'the first fragment of a text',
      frame({ opcode: opcode.text, payload: Buffer.from('a'), isFinal: false }),
    ],
    ['a binary frame', binary(1)],
    ['a ping', ping('hi')],
    ['a pong', pong('hi')],
    ['a close frame', close(1000)],
    ['a compressed text', frame({ opcode: opcode.text, payload: Buffer.from('a'), reserved: 0x40 })],
    ['a masked text', frame({ opcode: opcode.text, payload: Buffer.from('a'), mask: Buffer.alloc(4) })],
  ])('not for %s', async (_what, bytes) => {
    const { payloads, onTextFrame } = recordPayloads()
    expect(await feed(onTextFrame, [bytes], 100)).toEqual(bytes)
    expect(payloads).toEqual([])
  })

  it('not inside a fragmented message, but after it', async () => {
    const { payloads, onTextFrame } = recordPayloads()
    const fragments = [
      frame({ opcode: opcode.text, payload: Buffer.from('a'), isFinal: false }),
      ping(),
      frame({ opcode: opcode.continuation, payload: Buffer.from('b') }),
    ]
    expect(await feed(onTextFrame, [Buffer.concat([...fragments, text('c')])])).toEqual(
      Buffer.concat(fragments),
    )
    expect(payloads).toEqual(['c'])
  })

  it('not for bytes inside a payload that look like a frame', async () => {
    const { payloads, onTextFrame } = recordPayloads(() => false)
    const around = [text(`..${text('inside').toString()}..`), binary(...text('inside'))]
    for (const bytes of around) {
      for (let at = 0; at <= bytes.length; at++) {
        expect(await feed(onTextFrame, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(bytes)
      }
    }
    expect(payloads).not.toContain('inside')
  })

  it('with the same buffer for every read, and the bounds of the payload', async () => {
    const calls: { readonly memory: Uint8Array; readonly start: number; readonly end: number }[] = []
    const onTextFrame: OnTextFrame = (memory, start, end) => calls.push({ memory, start, end }) > 0
    await feed(onTextFrame, [Buffer.concat([text('first'), text('second')]), text('third')])
    expect(calls.map(({ start, end }) => [start, end])).toEqual([
      [2, 7],
      [9, 15],
      [2, 7],
    ])
    expect(new Set(calls.map(({ memory }) => memory)).size).toBe(1)
  })
})

describe('FrameTap', () => {
  const fragment = (kind: number, isFinal: boolean): Buffer =>
    frame({ opcode: kind, payload: Buffer.from('part'), isFinal })

  const interrupted = (by: Buffer): Buffer =>
    Buffer.concat([fragment(opcode.text, false), by, fragment(opcode.continuation, true)])

  const withReserved = (reserved: number): Buffer =>
    frame({ opcode: opcode.text, payload: Buffer.from('a'), reserved })

  it.each<[string, Buffer]>([
    ['a close frame', close(1000)],
    ['a close frame without a code', close()],
    [
      'a masked frame',
      frame({ opcode: opcode.ping, payload: Buffer.from('a'), mask: Buffer.of(1, 2, 3, 4) }),
    ],
    ...[0x40, 0x20, 0x10].map((bit): [string, Buffer] => [
      `a frame with the reserved bit ${bit}`,
      withReserved(bit),
    ]),
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((kind): [string, Buffer] => [
      `a frame with the unknown opcode ${kind}`,
      fragment(kind, true),
    ]),
    ['a fragmented ping', fragment(opcode.ping, false)],
    ['a fragmented pong', fragment(opcode.pong, false)],
    ['an oversized ping', frame({ opcode: opcode.ping, payload: Buffer.alloc(126) })],
    ['a continuation outside a message', fragment(opcode.continuation, true)],
    ['a text inside a fragmented text', interrupted(text('a'))],
    ['a fragment of a second text inside a fragmented text', interrupted(fragment(opcode.text, false))],
    ['a binary frame inside a fragmented text', interrupted(binary(1))],
  ])('only forwards after %s', async (_what, end) => {
    const stream = Buffer.concat([end, text('late'), ping(), text('later')])
    const cuts = [[stream], [end, stream.subarray(end.length)], [...stream].map((byte) => Buffer.of(byte))]
    for (const pieces of cuts) {
      const { payloads, onTextFrame } = recordPayloads()
      expect(await feed(onTextFrame, [text('early'), ...pieces])).toEqual(stream)
      expect(payloads).toEqual(['early'])
    }
  })

  it('passes setNoDelay to the raw socket', () => {
    const { raw, tap } = openTap(always)
    tap.setNoDelay(true)
    expect(raw.delays).toEqual([true])
  })
})

describe('FrameTap, for a read that ends at any byte,', () => {
  it('removes frames after a handshake in two reads', async () => {
    for (let at = 0; at <= handshake.length; at++) {
      const { payloads, onTextFrame } = recordPayloads()
      const { forwarded, receive, startReading } = openTap(onTextFrame)
      await startReading()
      receive(handshake.subarray(0, at), handshake.subarray(at), text('1'))
      expect({ at, payloads }).toEqual({ at, payloads: ['1'] })
      expect(Buffer.concat(forwarded)).toEqual(handshake)
    }
  })

  it('forwards all bytes of the last read', async () => {
    const stream = Buffer.concat([
      handshake,
      filled(300),
      frame({ opcode: 2, payload: Buffer.alloc(65_536) }),
    ])
    for (const at of [1, ...Array.from({ length: 320 }, (_, index) => handshake.length - 5 + index)]) {
      const { raw, tap, forwarded, receive, startReading } = openTap(() => false)
      await startReading()
      receive(stream.subarray(0, at))
      raw.push(null)
      await once(tap, 'end')
      expect(Buffer.concat(forwarded).equals(stream.subarray(0, at))).toBe(true)
    }
  })
})

describe('a header with two invalid first bytes', () => {
  it.each<[string, readonly number[]]>([
    ['a reserved bit', [0xc1, 126]],
    ['an unknown opcode', [0x83, 127]],
    ['a masked frame', [0x81, 254]],
    ['an oversized ping', [0x89, 126]],
    ['an oversized close frame', [0x88, 127]],
    ['a continuation outside a message', [0x80, 126]],
  ])('causes the error of ws immediately, before the length arrives: %s', async (_what, bytes) => {
    const of = script([Buffer.from(bytes)], 'reset')
    const alone = await journalOf(of, { removes: undefined, maxFrameBytes })
    expect(alone.entries).toHaveLength(3)
    expect((await playOverTap(of)).entries).toEqual(alone.entries)
  })
})

describe('a socket that does not open', () => {
  const status = (line: string): string => `HTTP/1.1 ${line}\r\n\r\n`
  const price = text('{"topic":"svc-0xa","price":1}')

  it.each([
    ['is rejected with a body', status('503 Busy')],
    ['gets status 200', status('200 OK')],
    ['gets a redirect', 'HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\n\r\n'],
    ['gets no upgrade headers', status('101 Yes')],
    ['gets no Connection header', 'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\n\r\n'],
    ['gets no Upgrade header', 'HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\n\r\n'],
    [
      'gets no Sec-WebSocket-Accept header',
      'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    ],
    ['gets status 100', status('100 Continue')],
    ['gets bytes that are not HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ])('emits no text if the upgrade %s', async (_case, answer) => {
    const port = await tcpServer((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from(answer), price, price])))
    })
    const { recorded } = dial(`ws://127.0.0.1:${port}`)
    await recorded.whenClosed
    expect(recorded.events.map(([what]) => what)).toEqual(['closed'])
  })
})

describe('FrameTap, if its reader pauses,', () => {
  it('forwards all frames in order until the reader has caught up', async () => {
    const { payloads, onTextFrame } = recordPayloads()
    const { tap, forwarded, receive, startReading } = openTap(onTextFrame)
    await startReading()
    receive(handshake, text('1'))
    tap.pause()
    const unread = Buffer.concat([text('2'), text('3')])
    receive(unread, text('4').subarray(0, 1))
    expect(payloads).toEqual(['1'])
    tap.resume()
    await nextTurn()
    receive(text('4').subarray(1), text('5'))
    expect(payloads).toEqual(['1', '4', '5'])
    expect(Buffer.concat(forwarded)).toEqual(Buffer.concat([handshake, unread]))
  })

  it('forwards frames after resume until the reader has read', async () => {
    const { payloads, onTextFrame } = recordPayloads()
    const { tap, receive, startReading } = openTap(onTextFrame)
    await startReading()
    receive(handshake)
    tap.pause()
    receive(text('1'))
    tap.resume()
    receive(text('2'))
    expect(payloads).toEqual([])
    await nextTurn()
    receive(text('3'))
    expect(payloads).toEqual(['3'])
  })

  it('pauses the raw socket at the high-water mark, and resumes it', async () => {
    const { raw, tap, forwarded, receive, startReading } = openTap(always)
    await startReading()
    receive(handshake)
    expect(raw.isPaused()).toBe(false)
    tap.pause()
    const count = Math.ceil(tap.readableHighWaterMark / 1000) + 1
    const frames = Array.from({ length: count }, (_, index) => text(String(index).padEnd(1000, '.')))
    receive(...frames)
    expect(raw.isPaused()).toBe(true)
    tap.resume()
    await nextTurn()
    expect(raw.isPaused()).toBe(false)
    expect(Buffer.concat(forwarded)).toEqual(Buffer.concat([handshake, ...frames]))
  })

  it('forwards all frames and pauses the raw socket without a reader', async () => {
    const { payloads, onTextFrame } = recordPayloads()
    const { raw, tap, receive } = openTap(onTextFrame)
    const long = text('x'.repeat(tap.readableHighWaterMark))
    receive(handshake, text('1'), long)
    expect(payloads).toEqual([])
    expect(raw.isPaused()).toBe(true)
  })

  it('keeps the order of events for a WebSocket that pauses inside a handler', async () => {
    const frames = Array.from({ length: 200 }, (_, index) => text(String(index)))
    const expected = frames.map((_, index) => `text ${hex(String(index))}`)
    for (const modulus of [1, 2, 7]) {
      const { entries, calls } = await playOverTap(
        script([Buffer.concat([...frames, close(1000)])], 'after-client'),
        {
          removes: (payload) => payload.length < modulus,
          react: (socket, entry) => {
            if (
              socket.readyState !== WebSocket.OPEN ||
              !expected.includes(entry) ||
              expected.indexOf(entry) % 7 > 0
            )
              return
            socket.pause()
            setImmediate(() => socket.resume())
          },
        },
      )
      expect(entries).toEqual(['open', ...expected, 'close 1000 '])
      // The rest of the read was forwarded.
      expect(calls).toBe(1)
    }
  })
})

describe('a handler that terminates the socket', () => {
  const frames = [ping('p'), text('ab'), text('c'), text('de'), text('f')]
  const removals = {
    'all frames': always,
    'no frame': () => false,
    'frames of one byte': (payload: Buffer) => payload.length === 1,
    'frames of two bytes': (payload: Buffer) => payload.length === 2,
  }
  const places = ['open', `ping ${hex('p')}`, `text ${hex('ab')}`, `text ${hex('c')}`, `text ${hex('de')}`]
  const table = Object.entries(removals).flatMap(([name, removes]) =>
    places.map((place): [string, string, (payload: Buffer) => boolean] => [place, name, removes]),
  )

  it.each(table)('at "%s" gets no later frame from a tap that removes %s', async (place, _name, removes) => {
    for (const of of [inOnePiece(...frames), script([Buffer.concat(frames)]), script(frames)]) {
      let isTerminated = false
      let removedLate = 0
      const { entries } = await playOverTap(of, {
        removes: (payload) => {
          const isRemoved = removes(payload)
          if (isTerminated && isRemoved) removedLate++
          return isRemoved
        },
        react: (socket, entry) => {
          if (entry !== place) return
          isTerminated = true
          socket.terminate()
        },
      })
      // The journal marks calls of onTextFrame at a wrong time, such as after the connection was destroyed.
      expect(entries.filter((entry) => entry.startsWith('unexpected call'))).toEqual([])
      expect(removedLate).toBe(0)
      expect(entries.at(-1)).toBe('close 1006 ')
    }
  })
})

describe('a handler that throws', () => {
  const boom = (): never => {
    throw new Error('boom')
  }

  it('inside onTextFrame lets the error propagate, and no later bytes are treated as a frame', async () => {
    const { payloads, onTextFrame } = recordPayloads((content) => (content === 'bad' ? boom() : true))
    const { receive, startReading } = openTap(onTextFrame)
    await startReading()
    receive(handshake)
    const around = text(`..${text('inside').toString('latin1').padEnd(20, '.')}`)
    const cut = around.length - 20
    // latin1: each character of the inner frame is one byte.
    const disguised = Buffer.concat([around.subarray(0, cut), text('inside')])
    expect(() => receive(Buffer.concat([text('bad'), disguised.subarray(0, cut)]))).toThrow('boom')
    receive(disguised.subarray(cut))
    expect(payloads).not.toContain('inside')
  })

  it('inside a data handler lets the error propagate, and no later bytes are treated as a frame', async () => {
    const { payloads, onTextFrame } = recordPayloads((content) => content !== 'bad')
    const { tap, receive, startReading } = openTap(onTextFrame)
    await startReading()
    receive(handshake)
    tap.once('data', boom)
    const around = frame({ opcode: opcode.text, payload: Buffer.alloc(20) })
    const before = Buffer.concat([text('bad'), text('good'), around.subarray(0, 4)])
    expect(() => receive(before)).toThrow('boom')
    receive(text('inside'))
    expect(payloads).not.toContain('inside')
  })
})

describe('the close event of a WebSocket over a tap', () => {
  /** A `ws` WebSocket over a tap, with its close codes and errors. */
  const dialOverTap = (of?: Script) => {
    const raw = new FakeRaw(of)
    const tap = tapOver(raw, maxFrameBytes, always)
    const socket = new WebSocket('ws://service.invalid', optionsFor(tap, maxFrameBytes))
    const ends: number[] = []
    const errors: unknown[] = []
    const closed = new Promise<void>((resolve) => {
      socket.on('close', (code) => {
        ends.push(code)
        resolve()
      })
    })
    socket.on('error', (error) => errors.push(error))
    return { raw, tap, socket, ends, errors, closed }
  }

  const opened = async (of: Script = script([], 'after-client')) => {
    const dialled = dialOverTap(of)
    await once(dialled.socket, 'open')
    return dialled
  }

  /** Checks that both streams are closed, that one close event was emitted, and that later events are ignored. */
  const expectClosedOnce = async (raw: FakeRaw, tap: FrameTap, ends: readonly number[]): Promise<void> => {
    for (const stream of [raw, tap]) if (!stream.closed) await once(stream, 'close')
    await nextTurn()
    expect(ends).toHaveLength(1)
    raw.emit('error', econnreset())
    raw.emit('data', text('late'))
    raw.emit('close')
    tap.destroy(econnreset())
    tap.end()
    await nextTurn()
    expect(ends).toHaveLength(1)
    expect([raw.destroyed, tap.destroyed]).toEqual([true, true])
  }

  it('is emitted once after an end, a reset, or a close without an end', async () => {
    const endings: readonly Ending[] = ['end', 'reset', 'closed']
    for (const ending of endings) {
      for (const pieces of [
        [],
        [text('a')],
        [text('a').subarray(0, 1)],
        [text('abc').subarray(0, 3)],
        [close(1001)],
      ]) {
        const { raw, tap, ends, errors, closed } = await opened(script(pieces, ending))
        await closed
        await expectClosedOnce(raw, tap, ends)
        expect({ ends, errors }).toEqual({ ends: [pieces[0]?.[0] === 0x88 ? 1001 : 1006], errors: [] })
      }
    }
  })

  it('is emitted once after a reset during the dial, with the error of the raw socket', async () => {
    const { raw, tap, ends, errors, closed } = dialOverTap()
    const failure = econnreset()
    setImmediate(() => raw.destroy(failure))
    await closed
    await expectClosedOnce(raw, tap, ends)
    expect({ ends, errors }).toEqual({ ends: [1006], errors: [failure] })
  })

  it('is emitted once if ws destroys the tap during a write', async () => {
    const { raw, tap, socket, ends, errors, closed } = await opened()
    raw.stallWrites()
    for (let count = 0; count < 5; count++) socket.send('x'.repeat(10_000))
    socket.terminate()
    await closed
    await expectClosedOnce(raw, tap, ends)
    expect({ ends, errors }).toEqual({ ends: [1006], errors: [] })
  })

  it('is emitted once if a write fails', async () => {
    const { raw, tap, socket, ends, closed } = await opened()
    raw.failWrites(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    socket.send('a')
    socket.send('b')
    await closed
    await expectClosedOnce(raw, tap, ends)
    expect(ends).toEqual([1006])
  })

  it('is emitted after all written frames were sent in order', async () => {
    const { raw, tap, socket, ends, closed } = await opened()
    for (const content of ['1', '2', '3']) socket.send(content)
    socket.close(1000)
    await nextTurn()
    raw.push(close(1000))
    await once(raw, 'finish')
    // The first byte of each frame has its opcode.
    const opcodes = [0, 7, 14, 21].map((index) => raw.sent().slice(index * 2, index * 2 + 2))
    expect(opcodes).toEqual(['81', '81', '81', '88'])
    await closed
    await expectClosedOnce(raw, tap, ends)
  })

  it('is emitted after the raw socket has closed', async () => {
    const { raw, tap, socket } = await opened()
    let isRawClosed = false
    raw.once('close', () => (isRawClosed = true))
    tap.once('close', () => expect(isRawClosed).toBe(true))
    socket.terminate()
    await once(tap, 'close')
    expect(isRawClosed).toBe(true)
  })
})

interface Dialled {
  readonly recorded: Recorder
  readonly inPlace: () => number
}

const topicCount = 50

/** Dials with a listener that handles all prices in `bytes`, and records them as texts. */
const dial = (url: string, ca?: string): Dialled => {
  const transport = wsTransport(ca)
  onTestFinished(() => transport.close())
  const prices = new PriceFrames<string>()
  for (let index = 0; index < topicCount; index++) {
    prices.learn(update(`svc-0x${index}`, '1'), `svc-0x${index}`)
  }
  prices.learn(update('svc-0xa', '1'), 'svc-0xa')
  const recorded = recorder()
  let inPlaceCount = 0
  const bytes: OnTextFrame = (memory, start, end) => {
    const topic = prices.recognise(memory, start, end)
    if (topic === undefined) return false
    // A frame from `ws` has a buffer of its own, and starts at 0.
    if (start > 0) inPlaceCount++
    recorded.text(update(topic, `${prices.price}`))
    return true
  }
  transport.dial(url, { maxFrameBytes }, { ...recorded, bytes })
  return { recorded, inPlace: () => inPlaceCount }
}

const partition = <T>(all: readonly T[], of: (each: T) => boolean): readonly [readonly T[], readonly T[]] => [
  all.filter(of),
  all.filter((each) => !of(each)),
]

describe('a FrameTap over real sockets', { timeout: 60_000 }, () => {
  const count = 50_000

  /** Sends mostly prices, mixed with every other kind of frame, and few pings, because `ws` limits the pings in one read. */
  const sendTo = (peer: WebSocket): void => {
    for (let index = 1; index <= count; index++) {
      peer.send(update(`svc-0x${index % topicCount}`, `${index}`))
      if (index % 97 === 0) peer.send(`other ${index}`)
      if (index % 101 === 0) peer.send(Buffer.of(index & 255))
      if (index % 1009 === 0) peer.ping()
      if (index % 107 === 0) peer.send(`first ${index}`, { fin: false })
      if (index % 107 === 0) peer.send(' second', { fin: true })
    }
    peer.close(1000, 'done')
  }

  const expected = (): readonly unknown[] => {
    const events: unknown[] = [['opened']]
    for (let index = 1; index <= count; index++) {
      events.push(['text', update(`svc-0x${index % topicCount}`, `${index}`)])
      if (index % 97 === 0) events.push(['text', `other ${index}`])
      if (index % 101 === 0) events.push(['binary', [index & 255]])
      if (index % 107 === 0) events.push(['text', `first ${index} second`])
    }
    return [...events, ['closed', 1000, 'done']]
  }

  it.each<[string, Certified | undefined]>([
    ['TCP', undefined],
    ['TLS', selfSigned()],
  ])(
    'delivers 50 000 prices in order, mixed with other frames, most of them in place: %s',
    async (_name, certified) => {
      const { url } = await webSocketServer(sendTo, certified)
      const { recorded, inPlace } = dial(url, certified?.cert)
      await recorded.whenClosed
      // The tap reports a fragment when it reads it, possibly before `ws` has emitted earlier events.
      const [alive, others] = partition(recorded.events, ([what]) => what === 'alive')
      expect(others).toEqual(expected())
      expect(alive).toHaveLength(Math.floor(count / 1009) + Math.floor(count / 107))
      expect(inPlace()).toBeGreaterThan(count / 2)
    },
  )
})
