import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { FrameTap } from '../../../../src/wire/transport/ws/frame-tap.js'
import { nextTurn } from '../../../support/time/event-loop.js'
import { econnreset, FakeTcpSocket, type Ending, type Script } from './support/fake-tcp-socket.js'
import { frameTapOver, wsOptions } from './support/frame-tap-over.js'
import { close, text } from './support/frames.js'
import { always, maxFrameBytes } from './support/open-tap.js'
import { script } from './support/scripts.js'

describe('the close event of a WebSocket over a tap', () => {
  /** A `ws` WebSocket over a tap, with its close codes and errors. */
  const dialOverTap = (script?: Script) => {
    const tcpSocket = new FakeTcpSocket(script)
    const tap = frameTapOver(tcpSocket, maxFrameBytes, always)
    const socket = new WebSocket('ws://service.invalid', wsOptions(tap, maxFrameBytes))
    const closeCodes: number[] = []
    const errors: unknown[] = []
    const closed = new Promise<void>((resolve) => {
      socket.on('close', (code) => {
        closeCodes.push(code)
        resolve()
      })
    })
    socket.on('error', (error) => errors.push(error))
    return { tcpSocket, tap, socket, closeCodes, errors, closed }
  }

  const opened = async (played: Script = script([], 'after-client')) => {
    const dialled = dialOverTap(played)
    await once(dialled.socket, 'open')
    return dialled
  }

  /** Expects that both streams close, that one close event is emitted, and that later events are ignored. */
  const expectBothClosedOnce = async (
    tcpSocket: FakeTcpSocket,
    tap: FrameTap,
    closeCodes: readonly number[],
  ): Promise<void> => {
    for (const stream of [tcpSocket, tap]) if (!stream.closed) await once(stream, 'close')
    await nextTurn()
    expect(closeCodes).toHaveLength(1)
    tcpSocket.emit('error', econnreset())
    tcpSocket.emit('data', text('late'))
    tcpSocket.emit('close')
    tap.destroy(econnreset())
    tap.end()
    await nextTurn()
    expect(closeCodes).toHaveLength(1)
    expect([tcpSocket.destroyed, tap.destroyed]).toEqual([true, true])
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
        const { tcpSocket, tap, closeCodes, errors, closed } = await opened(script(pieces, ending))
        await closed
        await expectBothClosedOnce(tcpSocket, tap, closeCodes)
        expect({ closeCodes, errors }).toEqual({
          closeCodes: [pieces[0]?.[0] === 0x88 ? 1001 : 1006],
          errors: [],
        })
      }
    }
  })

  it('is emitted once after a reset during the dial, with the error of the TCP socket', async () => {
    const { tcpSocket, tap, closeCodes, errors, closed } = dialOverTap()
    const failure = econnreset()
    setImmediate(() => tcpSocket.destroy(failure))
    await closed
    await expectBothClosedOnce(tcpSocket, tap, closeCodes)
    expect({ closeCodes, errors }).toEqual({ closeCodes: [1006], errors: [failure] })
  })

  it('is emitted once if ws destroys the tap during a write', async () => {
    const { tcpSocket, tap, socket, closeCodes, errors, closed } = await opened()
    tcpSocket.stallWrites()
    for (let count = 0; count < 5; count++) socket.send('x'.repeat(10_000))
    socket.terminate()
    await closed
    await expectBothClosedOnce(tcpSocket, tap, closeCodes)
    expect({ closeCodes, errors }).toEqual({ closeCodes: [1006], errors: [] })
  })

  it('is emitted once if a write fails', async () => {
    const { tcpSocket, tap, socket, closeCodes, closed } = await opened()
    tcpSocket.failWrites(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    socket.send('a')
    socket.send('b')
    await closed
    await expectBothClosedOnce(tcpSocket, tap, closeCodes)
    expect(closeCodes).toEqual([1006])
  })

  it('is emitted after all written frames were sent in order', async () => {
    const { tcpSocket, tap, socket, closeCodes, closed } = await opened()
    for (const content of ['1', '2', '3']) socket.send(content)
    socket.close(1000)
    await nextTurn()
    tcpSocket.push(close(1000))
    await once(tcpSocket, 'finish')
    // The first byte of each frame has its opcode.
    const opcodes = [0, 7, 14, 21].map((index) => tcpSocket.sent().slice(index * 2, index * 2 + 2))
    expect(opcodes).toEqual(['81', '81', '81', '88'])
    await closed
    await expectBothClosedOnce(tcpSocket, tap, closeCodes)
  })

  it('is emitted after the TCP socket has closed', async () => {
    const { tcpSocket, tap, socket } = await opened()
    let isTcpSocketClosed = false
    tcpSocket.once('close', () => (isTcpSocketClosed = true))
    tap.once('close', () => expect(isTcpSocketClosed).toBe(true))
    socket.terminate()
    await once(tap, 'close')
    expect(isTcpSocketClosed).toBe(true)
  })
})
