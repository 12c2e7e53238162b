import { WebSocket } from 'ws'
import { FakeTcpSocket, type Script } from './fake-tcp-socket.js'
import { frameTapOver, wsOptions, type OnTextFrame } from './frame-tap-over.js'

/** What a WebSocket emitted and sent, and what a frame tap removed. */
export interface EventLog {
  /** In order, as text: `text 6f6b`, `close 1000 `. */
  readonly events: readonly string[]
  /** The bytes sent to the service, as hex. */
  readonly sent: string
  /** Number of calls of `onTextFrame`. */
  readonly calls: number
  /** Number of frames that the tap removed. */
  readonly removed: number
}

/** True if the tap removes a frame with this payload. */
export type Removes = (payload: Buffer) => boolean

export interface EventLogOptions {
  /** `undefined`: no tap. */
  readonly removes: Removes | undefined
  readonly maxFrameBytes: number
  /** Called after each event. */
  readonly react?: (socket: WebSocket, event: string) => void
}

/**
 * Plays a script to a `ws` WebSocket, with a tap or without, and logs the events. After an error it terminates the socket,
 * as the transport does. Resolves when the socket and the connection have closed.
 */
export const eventLogOf = async (script: Script, options: EventLogOptions): Promise<EventLog> => {
  const { removes, maxFrameBytes, react } = options
  const events: string[] = []
  let calls = 0
  let removed = 0
  let isOpen = false
  const tcpSocket = new FakeTcpSocket(script)

  const onTextFrame: OnTextFrame = (bytes, start, end) => {
    if (socket.readyState === WebSocket.CONNECTING) return false
    calls++
    // A copy, because the buffer is valid during this call only.
    const payload = Buffer.from(bytes.subarray(start, end))
    if (!isOpen || socket.isPaused || connection.destroyed) {
      log(`unexpected call: ${payload.toString('hex')}`)
    }
    if (!removes?.(payload)) return false
    removed++
    log(`text ${payload.toString('hex')}`)
    return true
  }

  const connection = removes === undefined ? tcpSocket : frameTapOver(tcpSocket, maxFrameBytes, onTextFrame)
  const socket = new WebSocket('ws://service.invalid', wsOptions(connection, maxFrameBytes))
  const log = (event: string): void => {
    events.push(event)
    react?.(socket, event)
  }

  socket.on('open', () => {
    isOpen = true
    log('open')
  })
  socket.on('message', (data: Buffer, isBinary) => {
    log(`${isBinary ? 'binary' : 'text'} ${data.toString('hex')}`)
  })
  socket.on('ping', (data) => log(`ping ${data.toString('hex')}`))
  socket.on('pong', (data) => log(`pong ${data.toString('hex')}`))
  socket.on('error', (error: Error & { readonly code?: string }) => {
    isOpen = false
    log(`error ${error.code ?? ''} ${error.message}`)
    if (socket.readyState !== WebSocket.CONNECTING) socket.terminate()
  })
  await Promise.all([
    new Promise<void>((resolve) => {
      socket.on('close', (code, reason) => {
        isOpen = false
        log(`close ${code} ${reason.toString('hex')}`)
        resolve()
      })
    }),
    new Promise<void>((resolve) => tcpSocket.once('close', resolve)),
  ])
  return { events, sent: tcpSocket.sent(), calls, removed }
}
