import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { nextTurn } from '../../../support/time/event-loop.js'
import { close, text } from './support/frames.js'
import { always, handshake, openTap, recordPayloads } from './support/open-tap.js'
import { hex, playOverTap, script } from './support/scripts.js'

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

  it('pauses the TCP socket at the high-water mark, and resumes it', async () => {
    const { tcpSocket, tap, forwarded, receive, startReading } = openTap(always)
    await startReading()
    receive(handshake)
    expect(tcpSocket.isPaused()).toBe(false)
    tap.pause()
    const count = Math.ceil(tap.readableHighWaterMark / 1000) + 1
    const frames = Array.from({ length: count }, (_, index) => text(String(index).padEnd(1000, '.')))
    receive(...frames)
    expect(tcpSocket.isPaused()).toBe(true)
    tap.resume()
    await nextTurn()
    expect(tcpSocket.isPaused()).toBe(false)
    expect(Buffer.concat(forwarded)).toEqual(Buffer.concat([handshake, ...frames]))
  })

  it('forwards all frames and pauses the TCP socket without a reader', async () => {
    const { payloads, onTextFrame } = recordPayloads()
    const { tcpSocket, tap, receive } = openTap(onTextFrame)
    const long = text('x'.repeat(tap.readableHighWaterMark))
    receive(handshake, text('1'), long)
    expect(payloads).toEqual([])
    expect(tcpSocket.isPaused()).toBe(true)
  })

  it('keeps the order of events for a WebSocket that pauses inside a handler', async () => {
    const frames = Array.from({ length: 200 }, (_, index) => text(String(index)))
    const expected = frames.map((_, index) => `text ${hex(String(index))}`)
    for (const modulus of [1, 2, 7]) {
      const { events, calls } = await playOverTap(
        script([Buffer.concat([...frames, close(1000)])], 'after-client'),
        {
          removes: (payload) => payload.length < modulus,
          react: (socket, event) => {
            if (
              socket.readyState !== WebSocket.OPEN ||
              !expected.includes(event) ||
              expected.indexOf(event) % 7 > 0
            )
              return
            socket.pause()
            setImmediate(() => socket.resume())
          },
        },
      )
      expect(events).toEqual(['open', ...expected, 'close 1000 '])
      // The rest of the read was forwarded.
      expect(calls).toBe(1)
    }
  })
})
