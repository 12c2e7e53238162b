import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { startUnresponsiveServer, startWebSocketServer } from '../../../support/network/servers.js'
import { eventually } from '../../../support/time/eventually.js'
import { dial, expectClosedOnce, freezeTimers, defaultMaxFrameBytes } from './support/dial.js'
import { close } from './support/frames.js'

describe('the closed event', () => {
  it.each([1000, 1001, 1008, 1011, 1012, 4000, 4999])(
    'reports code %i and the reason from the service',
    async (code) => {
      const { url } = await startWebSocketServer((peer) => peer.close(code, 'restarting'))
      const dialled = dial(url)
      await expectClosedOnce(dialled)
      expect(dialled.recorded.events).toEqual([['opened'], ['closed', code, 'restarting']])
    },
  )

  it('reports a default reason if the service sends none', async () => {
    const { url } = await startWebSocketServer((peer) => peer.close(1001))
    expect(await dial(url).recorded.whenClosed).toEqual({ code: 1001, reason: 'closed by the service' })
  })

  it('reports 1005 if the close frame has no code', async () => {
    const { url } = await startWebSocketServer((peer) => peer.close())
    expect(await dial(url).recorded.whenClosed).toEqual({ code: 1005, reason: 'closed by the service' })
  })

  it('reports 1006 if the service closes the TCP connection', async () => {
    const { url } = await startWebSocketServer((peer) => peer.terminate())
    const dialled = dial(url)
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toEqual({
      code: 1006,
      reason: 'the connection ended without a close frame',
    })
  })

  it('has the error of a TCP connection that is reset', async () => {
    const sockets: Socket[] = []
    const { url } = await startWebSocketServer((_peer, _headers, _path, socket) => sockets.push(socket))
    const dialled = dial(url)
    await eventually(() => expect(dialled.recorded.events).toEqual([['opened']]))
    sockets[0]?.resetAndDestroy()
    expect(await dialled.recorded.whenClosed).toEqual({ code: 1006, reason: 'read ECONNRESET' })
  })

  it(
    'is emitted after a timeout if the service sends a close frame and leaves the connection open',
    { timeout: 10_000 },
    async () => {
      const dialled = dial(await startUnresponsiveServer(...close(1012)))
      await expectClosedOnce(dialled)
      expect(await dialled.recorded.whenClosed).toEqual({ code: 1012, reason: 'closed by the service' })
    },
  )

  it('reports 1009 for an oversized frame, which is not delivered', async () => {
    const { url } = await startWebSocketServer((peer) => {
      peer.send('x'.repeat(defaultMaxFrameBytes))
      peer.send('y'.repeat(defaultMaxFrameBytes + 1))
    })
    const dialled = dial(url)
    await expectClosedOnce(dialled)
    expect(dialled.recorded.events).toEqual([
      ['opened'],
      ['text', 'x'.repeat(defaultMaxFrameBytes)],
      ['closed', 1009, 'Max payload size exceeded'],
    ])
  })

  it.each([
    ['a tebibyte', [0, 0, 1, 0, 0, 0, 0, 0]],
    ['2^53 bytes', [0, 32, 0, 0, 0, 0, 0, 0]],
    ['2^63 - 1 bytes', [127, 255, 255, 255, 255, 255, 255, 255]],
  ])('reports 1009 for the header of an oversized frame: %s', async (_length, bytes) => {
    const dialled = dial(await startUnresponsiveServer(0x81, 127, ...bytes))
    await expectClosedOnce(dialled)
    expect(await dialled.recorded.whenClosed).toMatchObject({ code: 1009 })
  })

  it('reports 1009 for fragments that are too long together', async () => {
    const { url } = await startWebSocketServer((peer) => {
      const piece = 'x'.repeat(defaultMaxFrameBytes - 1)
      peer.send(piece, { fin: false })
      peer.send(piece, { fin: true })
    })
    expect(await dial(url).recorded.whenClosed).toMatchObject({ code: 1009 })
  })

  it.each([
    ['a reserved bit', [0xc1, 0]],
    ['an unknown opcode', [0x8f, 0]],
    ['a masked frame', [0x81, 0x80, 0, 0, 0, 0]],
    ['an invalid close code', [0x88, 2, 0, 1]],
  ])('is emitted without a timeout, with the error as the reason, after %s', async (_what, bytes) => {
    freezeTimers()
    const dialled = dial(await startUnresponsiveServer(...bytes))
    await expectClosedOnce(dialled)
    const { code, reason } = await dialled.recorded.whenClosed
    expect(code).toBe(1006)
    expect(reason).toMatch(/^Invalid /)
  })
})
