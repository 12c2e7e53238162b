import { createHash } from 'node:crypto'

const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The path of an upgrade request, and the response that accepts it. */
export interface Upgrade {
  readonly path: string
  readonly response: string
}

export const readUpgrade = (head: string): Upgrade => {
  const header = (name: string): string | undefined =>
    new RegExp(`^${name}: *(.*?)\\r$`, 'im').exec(head)?.[1]
  const key = header('sec-websocket-key') ?? ''
  const accept = createHash('sha1').update(`${key}${guid}`).digest('base64')
  const [protocol] = header('sec-websocket-protocol')?.split(',') ?? []
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol.trim()}`]),
  ]
  return { path: head.split(' ')[1] ?? '/', response: `${lines.join('\r\n')}\r\n\r\n` }
}
