import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { asciiFrame, closeReason, textFrame } from '../../../src/gateway/websocket/text-frame.js'

test('a WebSocket receives the text of each frame, whatever its length and its characters', async () => {
  const server = createServer()
  const upgrader = new WebSocketServer({ noServer: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const lengths = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]
  const texts = [
    ...lengths.map((length) => 'x'.repeat(length)),
    ...fc.sample(fc.string({ unit: 'binary' }), 200),
    'größer 🐻'.repeat(30),
  ]
  server.on('upgrade', (request, socket, head) =>
    upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      socket.write(Buffer.from(texts.map(textFrame).join(''), 'latin1'))
      webSocket.close()
    }),
  )
  const webSocket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const received: string[] = []
  webSocket.on('message', (data: Buffer) => received.push(data.toString()))
  await once(webSocket, 'close')
  // A lone surrogate has no encoding in UTF-8.
  expect(received).toEqual(texts.map((text) => Buffer.from(text).toString()))
})

test('an ASCII payload is encoded like any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 300 }), (text) => {
      expect(asciiFrame(text)).toBe(textFrame(text))
    }),
  )
})

test('a close reason has at most 123 bytes of UTF-8, and is the start of its text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const reason = closeReason(text)
      expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123)
      expect(text.startsWith(reason)).toBe(true)
      if (Buffer.byteLength(text) <= 123) expect(reason).toBe(text)
    }),
  )
})
