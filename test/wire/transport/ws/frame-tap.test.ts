import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { OnTextFrame } from './support/frame-tap-over.js'
import { eventLogOf } from './support/event-log.js'
import { binary, close, frame, opcode, ping, pong, text } from './support/frames.js'
import { always, handshake, maxFrameBytes, openTap, recordPayloads } from './support/open-tap.js'
import { playOverTap, script } from './support/scripts.js'

/** Feeds pieces to a tap with a reader. Returns the bytes that it forwards after the handshake. */
const feed = async (onTextFrame: OnTextFrame, pieces: readonly Buffer[], limit?: number): Promise<Buffer> => {
  const { forwarded, receive, startReading } = openTap(onTextFrame, limit)
  await startReading()
  receive(handshake, ...pieces)
  return Buffer.concat(forwarded).subarray(handshake.length)
}

const textOfLength = (length: number): Buffer =>
  frame({ opcode: opcode.text, payload: Buffer.alloc(length, length % 2 === 0 ? 'e' : 'o') })

describe('FrameTap, for each frame,', () => {
  it.each([0, 1, 124, 125])(
    'calls onTextFrame with a text of %i bytes, and with the next text',
    async (length) => {
      const { payloads, onTextFrame } = recordPayloads()
      expect(await feed(onTextFrame, [Buffer.concat([textOfLength(length), text('next')])])).toHaveLength(0)
      expect(payloads.map((content) => content.length)).toEqual([length, 4])
    },
  )

  it.each([126, 127, 255, 256, 65_535, 65_536, maxFrameBytes])(
    'calls onTextFrame with the text after one of %i bytes that arrives in pieces',
    async (length) => {
      const long = textOfLength(length)
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
    ['a text above maxFrameBytes', textOfLength(101)],
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
  ])('does not call onTextFrame for %s', async (_what, bytes) => {
    const { payloads, onTextFrame } = recordPayloads()
    expect(await feed(onTextFrame, [bytes], 100)).toEqual(bytes)
    expect(payloads).toEqual([])
  })

  it('calls onTextFrame after a fragmented message, not inside it', async () => {
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

  it('does not call onTextFrame for bytes inside a payload that look like a frame', async () => {
    const { payloads, onTextFrame } = recordPayloads(() => false)
    const outerFrames = [text(`..${text('inside').toString()}..`), binary(...text('inside'))]
    for (const bytes of outerFrames) {
      for (let at = 0; at <= bytes.length; at++) {
        expect(await feed(onTextFrame, [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(bytes)
      }
    }
    expect(payloads).not.toContain('inside')
  })

  it('calls onTextFrame with the same buffer for every read, and with the bounds of the payload', async () => {
    const calls: { readonly buffer: Uint8Array; readonly start: number; readonly end: number }[] = []
    const onTextFrame: OnTextFrame = (buffer, start, end) => calls.push({ buffer, start, end }) > 0
    await feed(onTextFrame, [Buffer.concat([text('first'), text('second')]), text('third')])
    expect(calls.map(({ start, end }) => [start, end])).toEqual([
      [2, 7],
      [9, 15],
      [2, 7],
    ])
    expect(new Set(calls.map(({ buffer }) => buffer)).size).toBe(1)
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
  ])('only forwards after %s', async (_what, last) => {
    const stream = Buffer.concat([last, text('late'), ping(), text('later')])
    const splits = [
      [stream],
      [last, stream.subarray(last.length)],
      [...stream].map((byte) => Buffer.of(byte)),
    ]
    for (const pieces of splits) {
      const { payloads, onTextFrame } = recordPayloads()
      expect(await feed(onTextFrame, [text('early'), ...pieces])).toEqual(stream)
      expect(payloads).toEqual(['early'])
    }
  })

  it('passes setNoDelay to the TCP socket', () => {
    const { tcpSocket, tap } = openTap(always)
    tap.setNoDelay(true)
    expect(tcpSocket.delays).toEqual([true])
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
      textOfLength(300),
      frame({ opcode: 2, payload: Buffer.alloc(65_536) }),
    ])
    for (const at of [1, ...Array.from({ length: 320 }, (_, index) => handshake.length - 5 + index)]) {
      const { tcpSocket, tap, forwarded, receive, startReading } = openTap(() => false)
      await startReading()
      receive(stream.subarray(0, at))
      tcpSocket.push(null)
      await once(tap, 'end')
      expect(Buffer.concat(forwarded).equals(stream.subarray(0, at))).toBe(true)
    }
  })
})

describe('a header whose first two bytes are invalid', () => {
  it.each<[string, readonly number[]]>([
    ['a reserved bit', [0xc1, 126]],
    ['an unknown opcode', [0x83, 127]],
    ['a masked frame', [0x81, 254]],
    ['an oversized ping', [0x89, 126]],
    ['an oversized close frame', [0x88, 127]],
    ['a continuation outside a message', [0x80, 126]],
  ])('causes the error of ws before the length arrives: %s', async (_what, bytes) => {
    const played = script([Buffer.from(bytes)], 'reset')
    const withoutTap = await eventLogOf(played, { removes: undefined, maxFrameBytes })
    expect(withoutTap.events).toHaveLength(3)
    expect((await playOverTap(played)).events).toEqual(withoutTap.events)
  })
})
