import { createHash } from 'node:crypto'

/** The value of Sec-WebSocket-Accept for an upgrade request. */
export const acceptKeyOf = (request: string): string => {
  const key = /sec-websocket-key: (.*)\r\n/i.exec(request)?.[1] ?? ''
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}

/** The response that accepts an upgrade. `accept`: the value of Sec-WebSocket-Accept. */
export const upgradeResponse = (accept: string): Buffer =>
  Buffer.from(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept}`,
      '',
      '',
    ].join('\r\n'),
  )
