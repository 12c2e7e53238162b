import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { PriceFrames } from '../../../src/codec/fast-path/price-frames.js'
import type { FrameTap, OnTextFrame } from '../../../src/transport/ws/frame-tap.js'
import { wsTransport } from '../../../src/transport/ws/ws-transport.js'
import { selfSigned, type Certified } from '../../support/certificate.js'
import { recorder, type Recorder } from '../support/recorder.js'
import { tcpServer, webSocketServer } from '../support/servers.js'
import { acceptOf, agreed, econnreset, FakeRaw, type Ending, type Script } from './support/fake-raw.js'
import { binary, close, frame, opcode, ping, pong, text } from './support/frames.js'
import { journalOf, laneOver, optionsFor, type Journal, type Subject } from './support/journal.js'
import { update } from './support/streams.js'

const maxFrameBytes = 100_000

const always = () => true

const hex = (content: string): string => Buffer.from(content).toString('hex')

/** The handshake apart, and each of the pieces in a turn of its own. */
const script = (pieces: readonly Buffer[], ending: Ending = 'end'): Script => ({
  pieces: (accept) => [agreed(accept), ...pieces].map((bytes) => ({ bytes, atOnce: false })),
  ending,
})

/** All in one piece, the handshake too. */
const inOnePiece = (...frames: readonly Buffer[]): Script => ({
  pieces: (accept) => [{ bytes: Buffer.concat([agreed(accept), ...frames]), atOnce: false }],
  ending: 'end',
})

const overLane = (of: Script, subject: Partial<Subject> = {}): Promise<Journal> =>
  journalOf(of, { taste: always, maxFrameBytes, ...subject })

/** A lane that has passed the handshake, with what came out of it. Nobody reads it yet. */
const bareLane = (offer: OnTextFrame, limit = maxFrameBytes) => {
  const raw = new FakeRaw()
  const lane = laneOver(raw, limit, offer)
  const handedOn: Buffer[] = []
  const receive = (...pieces: readonly Buffer[]): void => {
    for (const piece of pieces) raw.emit('data', piece)
  }
  const read = async (): Promise<void> => {
    lane.on('data', (piece: Buffer) => handedOn.push(piece))
    await nextTurn()
  }
  return { raw, lane, handedOn, receive, read }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const contentOf = (bytes: Uint8Array, start: number, end: number): string =>
  Buffer.from(bytes.subarray(start, end)).toString()

/** Remembers what it is offered, and takes it or not. */
const remembering = (taste: (content: string) => boolean = always) => {
  const offered: string[] = []
  const offer: OnTextFrame = (bytes, start, end) => {
    const content = contentOf(bytes, start, end)
    offered.push(content)
    return taste(content)
  }
  return { offered, offer }
}

const handshake = agreed(acceptOf(''))

/** A lane that is read, with all that it is given after the handshake. */
const fed = async (offer: OnTextFrame, pieces: readonly Buffer[], limit?: number): Promise<Buffer> => {
  const { handedOn, receive, read } = bareLane(offer, limit)
  await read()
  receive(handshake, ...pieces)
  return Buffer.concat(handedOn).subarray(handshake.length)
}

const filled = (length: number): Buffer =>
  frame({ opcode: opcode.text, payload: Buffer.alloc(length, length % 2 === 0 ? 'e' : 'o') })

describe('what is offered', () => {
  it.each([0, 1, 124, 125])('is a text of %i bytes, and what comes after it', async (length) => {
    const { offered, offer } = remembering()
    expect(await fed(offer, [Buffer.concat([filled(length), text('next')])])).toHaveLength(0)
    expect(offered.map((content) => content.length)).toEqual([length, 4])
  })

  it.each([126, 127, 255, 256, 65_535, 65_536, maxFrameBytes])(
    'is what comes after a text of %i bytes, in whatever pieces that comes',
    async (length) => {
      const long = filled(length)
      for (const at of [0, 1, 2, 3, 4, 5, 9, 10, 11, 126, long.length - 1, long.length]) {
        const { offered, offer } = remembering((content) => content === 'next')
        const handedOn = await fed(offer, [
          long.subarray(0, at),
          Buffer.concat([long.subarray(at), text('next')]),
        ])
        expect(handedOn.equals(long)).toBe(true)
        expect(offered.at(-1)).toBe('next')
      }
    },
  )

  it.each<[string, Buffer]>([
    ['a text that is longer than allowed', filled(101)],
    ['the beginning of a text', frame({ opcode: opcode.text, payload: Buffer.from('a'), isFinal: false })],
    ['a binary frame', binary(1)],
    ['a ping', ping('hi')],
    ['a pong', pong('hi')],
    ['a close frame', close(1000)],
    ['a compressed text', frame({ opcode: opcode.text, payload: Buffer.from('a'), reserved: 0x40 })],
    ['a masked text', frame({ opcode: opcode.text, payload: Buffer.from('a'), mask: Buffer.alloc(4) })],
  ])('is not %s', async (_what, bytes) => {
    const { offered, offer } = remembering()
    expect(await fed(offer, [bytes], 100)).toEqual(bytes)
    expect(offered).toEqual([])
  })

  it('is no end of a message that has begun, and no message before that end', async () => {
    const { offered, offer } = remembering()
    const said = [
      frame({ opcode: opcode.text, payload: Buffer.from('a'), isFinal: false }),
      ping(),
      frame({ opcode: opcode.continuation, payload: Buffer.from('b') }),
    ]
    expect(await fed(offer, [Buffer.concat([...said, text('c')])])).toEqual(Buffer.concat(said))
    expect(offered).toEqual(['c'])
  })

  it('is nothing that a text or a binary frame only contains', async () => {
    const { offered, offer } = remembering(() => false)
    const around = [text(`..${text('inside').toString()}..`), binary(...text('inside'))]
    for (const bytes of around) {
      for (let at = 0; at <= bytes.length; at++) {
        expect(await fed(offer, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(bytes)
      }
    }
    expect(offered).not.toContain('inside')
  })

  it('is in place, in the same memory for all that comes, with where to look', async () => {
    const looked: { readonly memory: Uint8Array; readonly start: number; readonly end: number }[] = []
    const offer: OnTextFrame = (memory, start, end) => looked.push({ memory, start, end }) > 0
    await fed(offer, [Buffer.concat([text('first'), text('second')]), text('third')])
    expect(looked.map(({ start, end }) => [start, end])).toEqual([
      [2, 7],
      [9, 15],
      [2, 7],
    ])
    expect(new Set(looked.map(({ memory }) => memory)).size).toBe(1)
  })
})

describe('after what ends the work', () => {
  const part = (kind: number, isFinal: boolean): Buffer =>
    frame({ opcode: kind, payload: Buffer.from('part'), isFinal })

  const interrupted = (by: Buffer): Buffer =>
    Buffer.concat([part(opcode.text, false), by, part(opcode.continuation, true)])

  const withReserved = (reserved: number): Buffer =>
    frame({ opcode: opcode.text, payload: Buffer.from('a'), reserved })

  it.each<[string, Buffer]>([
    ['a close frame', close(1000)],
    ['a close frame without a code', close()],
    ['a mask', frame({ opcode: opcode.ping, payload: Buffer.from('a'), mask: Buffer.of(1, 2, 3, 4) })],
    ...[0x40, 0x20, 0x10].map((bit): [string, Buffer] => [`the reserved bit ${bit}`, withReserved(bit)]),
    ...[3, 4, 5, 6, 7, 11, 12, 13, 14, 15].map((kind): [string, Buffer] => [
      `the unknown opcode ${kind}`,
      part(kind, true),
    ]),
    ['a ping in parts', part(opcode.ping, false)],
    ['a pong in parts', part(opcode.pong, false)],
    ['a ping that is too long', frame({ opcode: opcode.ping, payload: Buffer.alloc(126) })],
    ['a continuation of nothing', part(opcode.continuation, true)],
    ['a text in a text', interrupted(text('a'))],
    ['the beginning of a text in a text', interrupted(part(opcode.text, false))],
    ['a binary frame in a text', interrupted(binary(1))],
  ])('nothing is offered, and all is handed on: %s', async (_what, end) => {
    const stream = Buffer.concat([end, text('late'), ping(), text('later')])
    const cuts = [[stream], [end, stream.subarray(end.length)], [...stream].map((byte) => Buffer.of(byte))]
    for (const pieces of cuts) {
      const { offered, offer } = remembering()
      expect(await fed(offer, [text('early'), ...pieces])).toEqual(stream)
      expect(offered).toEqual(['early'])
    }
  })
})

describe('a piece that ends anywhere', () => {
  it('in the handshake lets the frames after it be taken', async () => {
    for (let at = 0; at <= handshake.length; at++) {
      const { offered, offer } = remembering()
      const { handedOn, receive, read } = bareLane(offer)
      await read()
      receive(handshake.subarray(0, at), handshake.subarray(at), text('1'))
      expect({ at, offered }).toEqual({ at, offered: ['1'] })
      expect(Buffer.concat(handedOn)).toEqual(handshake)
    }
  })

  it('and is the last is handed on to its last byte', async () => {
    const stream = Buffer.concat([
      handshake,
      filled(300),
      frame({ opcode: 2, payload: Buffer.alloc(65_536) }),
    ])
    for (const at of [1, ...Array.from({ length: 320 }, (_, index) => handshake.length - 5 + index)]) {
      const { raw, lane, handedOn, receive, read } = bareLane(() => false)
      await read()
      receive(stream.subarray(0, at))
      raw.push(null)
      await once(lane, 'end')
      expect(Buffer.concat(handedOn).equals(stream.subarray(0, at))).toBe(true)
    }
  })
})

describe('a header that breaks the rules by its first two bytes', () => {
  it.each<[string, readonly number[]]>([
    ['a reserved bit', [0xc1, 126]],
    ['an unknown kind of frame', [0x83, 127]],
    ['a mask', [0x81, 254]],
    ['a ping that is too long', [0x89, 126]],
    ['a close frame that is too long', [0x88, 127]],
    ['a continuation of nothing', [0x80, 126]],
  ])('is refused at once, not when its length has come: %s', async (_what, bytes) => {
    const of = script([Buffer.from(bytes)], 'reset')
    const alone = await journalOf(of, { taste: undefined, maxFrameBytes })
    expect(alone.entries).toHaveLength(3)
    expect((await overLane(of)).entries).toEqual(alone.entries)
  })
})

describe('before the socket is open nothing is told', () => {
  const status = (line: string): string => `HTTP/1.1 ${line}\r\n\r\n`
  const price = text('{"topic":"svc-0xa","price":1}')

  it.each([
    ['the upgrade is refused, with a body', status('503 Busy')],
    ['there is another page', status('200 OK')],
    ['there is another place to go to', 'HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\n\r\n'],
    ['nothing is said of the upgrade', status('101 Yes')],
    ['half is said of the upgrade', 'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\n\r\n'],
    ['the other half is said of it', 'HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\n\r\n'],
    ['the key is wrong', 'HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
    ['it is yet to be agreed to', status('100 Continue')],
    ['it is no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
  ])('of what looks like frames where %s', async (_where, answer) => {
    const port = await tcpServer((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from(answer), price, price])))
    })
    const { heard } = dial(`ws://127.0.0.1:${port}`)
    await heard.gone
    expect(heard.events.map(([what]) => what)).toEqual(['closed'])
  })
})

describe('a reader that pauses', () => {
  it('is offered nothing until it has read all that waited, and loses nothing', async () => {
    const { offered, offer } = remembering()
    const { lane, handedOn, receive, read } = bareLane(offer)
    await read()
    receive(handshake, text('1'))
    lane.pause()
    const waiting = Buffer.concat([text('2'), text('3')])
    receive(waiting, text('4').subarray(0, 1))
    expect(offered).toEqual(['1'])
    lane.resume()
    await nextTurn()
    receive(text('4').subarray(1), text('5'))
    expect(offered).toEqual(['1', '4', '5'])
    expect(Buffer.concat(handedOn)).toEqual(Buffer.concat([handshake, waiting]))
  })

  it('is offered nothing while it has resumed and not yet read', async () => {
    const { offered, offer } = remembering()
    const { lane, receive, read } = bareLane(offer)
    await read()
    receive(handshake)
    lane.pause()
    receive(text('1'))
    lane.resume()
    receive(text('2'))
    expect(offered).toEqual([])
    await nextTurn()
    receive(text('3'))
    expect(offered).toEqual(['3'])
  })

  it('stops the raw socket once enough waits, and lets it go on when it reads again', async () => {
    const { raw, lane, handedOn, receive, read } = bareLane(always)
    await read()
    receive(handshake)
    expect(raw.isPaused()).toBe(false)
    lane.pause()
    const count = Math.ceil(lane.readableHighWaterMark / 1000) + 1
    const frames = Array.from({ length: count }, (_, index) => text(String(index).padEnd(1000, '.')))
    receive(...frames)
    expect(raw.isPaused()).toBe(true)
    lane.resume()
    await nextTurn()
    expect(raw.isPaused()).toBe(false)
    expect(Buffer.concat(handedOn)).toEqual(Buffer.concat([handshake, ...frames]))
  })

  it('is offered nothing where there is no reader at all, and the raw socket stops', async () => {
    const { offered, offer } = remembering()
    const { raw, lane, receive } = bareLane(offer)
    const long = text('x'.repeat(lane.readableHighWaterMark))
    receive(handshake, text('1'), long)
    expect(offered).toEqual([])
    expect(raw.isPaused()).toBe(true)
  })

  it('is a WebSocket: paused from inside bytes or a message, it is told the rest when it resumes', async () => {
    const frames = Array.from({ length: 200 }, (_, index) => text(String(index)))
    const told = frames.map((_, index) => `text ${hex(String(index))}`)
    for (const modulus of [1, 2, 7]) {
      const { entries, offered } = await overLane(
        script([Buffer.concat([...frames, close(1000)])], 'answered'),
        {
          taste: (payload) => payload.length < modulus,
          react: (socket, entry) => {
            if (socket.readyState !== WebSocket.OPEN || !told.includes(entry) || told.indexOf(entry) % 7 > 0)
              return
            socket.pause()
            setImmediate(() => socket.resume())
          },
        },
      )
      expect(entries).toEqual(['open', ...told, 'close 1000 '])
      // All the rest of the piece waited.
      expect(offered).toBe(1)
    }
  })
})

describe('a handler that terminates the socket', () => {
  const frames = [ping('p'), text('ab'), text('c'), text('de'), text('f')]
  const tastes = {
    'all are taken': always,
    'none is taken': () => false,
    'some are taken': (payload: Buffer) => payload.length === 1,
    'others are taken': (payload: Buffer) => payload.length === 2,
  }
  const places = ['open', `ping ${hex('p')}`, `text ${hex('ab')}`, `text ${hex('c')}`, `text ${hex('de')}`]
  const table = Object.entries(tastes).flatMap(([name, taste]) =>
    places.map((place): [string, string, (payload: Buffer) => boolean] => [place, name, taste]),
  )

  it.each(table)('at "%s" is offered nothing more where %s', async (place, _name, taste) => {
    for (const of of [inOnePiece(...frames), script([Buffer.concat(frames)]), script(frames)]) {
      let isTerminated = false
      let takenLate = 0
      const { entries } = await overLane(of, {
        taste: (payload) => {
          const isTaken = taste(payload)
          if (isTerminated && isTaken) takenLate++
          return isTaken
        },
        react: (socket, entry) => {
          if (entry !== place) return
          isTerminated = true
          socket.terminate()
        },
      })
      // The journal says what was offered out of time: after the connection was destroyed, too.
      expect(entries.filter((entry) => entry.startsWith('offered'))).toEqual([])
      expect(takenLate).toBe(0)
      expect(entries.at(-1)).toBe('close 1006 ')
    }
  })
})

describe('a handler that throws', () => {
  const boom = (): never => {
    throw new Error('boom')
  }

  it('from inside bytes is not hidden, and nothing that is no frame is offered for one later', async () => {
    const { offered, offer } = remembering((content) => (content === 'bad' ? boom() : true))
    const { receive, read } = bareLane(offer)
    await read()
    receive(handshake)
    const around = text(`..${text('inside').toString('latin1').padEnd(20, '.')}`)
    const cut = around.length - 20
    // Latin: each character of the frame inside is one byte.
    const disguised = Buffer.concat([around.subarray(0, cut), text('inside')])
    expect(() => receive(Buffer.concat([text('bad'), disguised.subarray(0, cut)]))).toThrow('boom')
    receive(disguised.subarray(cut))
    expect(offered).not.toContain('inside')
  })

  it('from inside a message is not hidden, and nothing that is no frame is offered for one later', async () => {
    const { offered, offer } = remembering((content) => content !== 'bad')
    const { lane, receive, read } = bareLane(offer)
    await read()
    receive(handshake)
    lane.once('data', boom)
    const around = frame({ opcode: opcode.text, payload: Buffer.alloc(20) })
    const before = Buffer.concat([text('bad'), text('good'), around.subarray(0, 4)])
    expect(() => receive(before)).toThrow('boom')
    receive(text('inside'))
    expect(offered).not.toContain('inside')
  })
})

describe('the end of the connection', () => {
  /** A `ws` WebSocket over a lane, and what it tells of its end. */
  const dialled = (of?: Script) => {
    const raw = new FakeRaw(of)
    const lane = laneOver(raw, maxFrameBytes, always)
    const socket = new WebSocket('ws://service.invalid', optionsFor(lane, maxFrameBytes))
    const ends: number[] = []
    const errors: unknown[] = []
    const gone = new Promise<void>((resolve) => {
      socket.on('close', (code) => {
        ends.push(code)
        resolve()
      })
    })
    socket.on('error', (error) => errors.push(error))
    return { raw, lane, socket, ends, errors, gone }
  }

  const opened = async (of: Script = script([], 'answered')) => {
    const made = dialled(of)
    await once(made.socket, 'open')
    return made
  }

  /** That all is gone, was told of once, and that whatever the raw socket may say yet hurts nobody. */
  const expectGone = async (raw: FakeRaw, lane: FrameTap, ends: readonly number[]): Promise<void> => {
    for (const stream of [raw, lane]) if (!stream.closed) await once(stream, 'close')
    await nextTurn()
    expect(ends).toHaveLength(1)
    raw.emit('error', econnreset())
    raw.emit('data', text('late'))
    raw.emit('close')
    lane.destroy(econnreset())
    lane.end()
    await nextTurn()
    expect(ends).toHaveLength(1)
    expect([raw.destroyed, lane.destroyed]).toEqual([true, true])
  }

  it('is told once, whether it ends, is reset, or is closed without an end', async () => {
    const endings: readonly Ending[] = ['end', 'reset', 'closed']
    for (const ending of endings) {
      for (const pieces of [
        [],
        [text('a')],
        [text('a').subarray(0, 1)],
        [text('abc').subarray(0, 3)],
        [close(1001)],
      ]) {
        const { raw, lane, ends, errors, gone } = await opened(script(pieces, ending))
        await gone
        await expectGone(raw, lane, ends)
        expect({ ends, errors }).toEqual({ ends: [pieces[0]?.[0] === 0x88 ? 1001 : 1006], errors: [] })
      }
    }
  })

  it('is told once after a reset in the middle of a dial, with the error of the raw socket', async () => {
    const { raw, lane, ends, errors, gone } = dialled()
    const failure = econnreset()
    setImmediate(() => raw.destroy(failure))
    await gone
    await expectGone(raw, lane, ends)
    expect({ ends, errors }).toEqual({ ends: [1006], errors: [failure] })
  })

  it('is told once where ws destroys the lane while it writes', async () => {
    const { raw, lane, socket, ends, errors, gone } = await opened()
    raw.stallWrites()
    for (let count = 0; count < 5; count++) socket.send('x'.repeat(10_000))
    socket.terminate()
    await gone
    await expectGone(raw, lane, ends)
    expect({ ends, errors }).toEqual({ ends: [1006], errors: [] })
  })

  it('is told once where a write fails', async () => {
    const { raw, lane, socket, ends, gone } = await opened()
    raw.failWrites(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    socket.send('a')
    socket.send('b')
    await gone
    await expectGone(raw, lane, ends)
    expect(ends).toEqual([1006])
  })

  it('comes after what is written, in order, where the socket is closed', async () => {
    const { raw, lane, socket, ends, gone } = await opened()
    for (const content of ['1', '2', '3']) socket.send(content)
    socket.close(1000)
    await nextTurn()
    raw.push(close(1000))
    await once(raw, 'finish')
    // Their headers alone: the opcodes are the first of the bytes of each.
    const opcodes = [0, 7, 14, 21].map((index) => raw.sent().slice(index * 2, index * 2 + 2))
    expect(opcodes).toEqual(['81', '81', '81', '88'])
    await gone
    await expectGone(raw, lane, ends)
  })

  it('waits for the raw socket to be gone', async () => {
    const { raw, lane, socket } = await opened()
    let isRawGone = false
    raw.once('close', () => (isRawGone = true))
    lane.once('close', () => expect(isRawGone).toBe(true))
    socket.terminate()
    await once(lane, 'close')
    expect(isRawGone).toBe(true)
  })

  it('has no delay that is left to the raw socket', () => {
    const { raw, lane } = bareLane(always)
    lane.setNoDelay(true)
    expect(raw.delays).toEqual([true])
  })
})

interface Dialled {
  readonly heard: Recorder
  readonly inPlace: () => number
}

const topicCount = 50

/** A dial that takes all prices; the events tell of them as texts. */
const dial = (url: string, ca?: string): Dialled => {
  const transport = wsTransport(ca)
  onTestFinished(() => transport.close())
  const prices = new PriceFrames<string>()
  for (let index = 0; index < topicCount; index++) {
    prices.learn(update(`svc-0x${index}`, '1'), `svc-0x${index}`)
  }
  prices.learn(update('svc-0xa', '1'), 'svc-0xa')
  const heard = recorder()
  let inPlace = 0
  const bytes: OnTextFrame = (memory, start, end) => {
    const topic = prices.recognise(memory, start, end)
    if (topic === undefined) return false
    // What comes by way of `ws` is a piece of memory of its own.
    if (start > 0) inPlace++
    heard.text(update(topic, `${prices.price}`))
    return true
  }
  transport.dial(url, { maxFrameBytes }, { ...heard, bytes })
  return { heard, inPlace: () => inPlace }
}

const partition = <T>(all: readonly T[], of: (each: T) => boolean): readonly [readonly T[], readonly T[]] => [
  all.filter(of),
  all.filter((each) => !of(each)),
]

describe('over real sockets', { timeout: 60_000 }, () => {
  const count = 50_000

  /** Mostly prices, with each other kind of frame between them; more than 60 pings at once `ws` takes for an attack. */
  const sendTo = (peer: WebSocket): void => {
    for (let index = 1; index <= count; index++) {
      peer.send(update(`svc-0x${index % topicCount}`, `${index}`))
      if (index % 97 === 0) peer.send(`other ${index}`)
      if (index % 101 === 0) peer.send(Buffer.of(index & 255))
      if (index % 1009 === 0) peer.ping()
      if (index % 107 === 0) peer.send(`half ${index}`, { fin: false })
      if (index % 107 === 0) peer.send(' said', { fin: true })
    }
    peer.close(1000, 'that was all')
  }

  const expected = (): readonly unknown[] => {
    const events: unknown[] = [['opened']]
    for (let index = 1; index <= count; index++) {
      events.push(['text', update(`svc-0x${index % topicCount}`, `${index}`)])
      if (index % 97 === 0) events.push(['text', `other ${index}`])
      if (index % 101 === 0) events.push(['binary', [index & 255]])
      if (index % 107 === 0) events.push(['text', `half ${index} said`])
    }
    return [...events, ['closed', 1000, 'that was all']]
  }

  it.each<[string, Certified | undefined]>([
    ['TCP', undefined],
    ['TLS', selfSigned()],
  ])(
    'each of 50 000 prices is told, in order, with others between, most of them in place: %s',
    async (_name, certified) => {
      const { url } = await webSocketServer(sendTo, certified)
      const { heard, inPlace } = dial(url, certified?.cert)
      await heard.gone
      // Of a piece of a message is told when the lane sees it, which may be before `ws` has told what came earlier.
      const [alive, others] = partition(heard.events, ([what]) => what === 'alive')
      expect(others).toEqual(expected())
      expect(alive).toHaveLength(Math.floor(count / 1009) + Math.floor(count / 107))
      expect(inPlace()).toBeGreaterThan(count / 2)
    },
  )
})
