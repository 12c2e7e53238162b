import type { Socket, SocketListener, WebSocketTransport } from 'svc-streams'

/** Observes the sockets of a transport. `Connection` is the observer's state for one socket. */
export interface TransportObserver<Connection> {
  /** Called when a socket is dialed. Creates its state. */
  dialed(): Connection
  opened(connection: Connection): void
  /** Called before a text frame is sent. */
  sending(connection: Connection, frame: string): void
  /** Called for each text frame of the service. Must call `deliver` once, which passes the frame to the client. */
  received(connection: Connection, frame: string, deliver: () => void): void
  /** Called when the client decodes a frame from its bytes, without `JSON.parse`. */
  usedFastPath(): void
  /** Called when the client or the service closes the socket; twice if both do. */
  closed(connection: Connection): void
}

/** A transport that reports to the observer what passes through it. */
export const observeTransport = <Connection>(
  transport: WebSocketTransport,
  observer: TransportObserver<Connection>,
): WebSocketTransport => ({
  dial: (url, options, listener) => {
    const connection = observer.dialed()
    const socket = transport.dial(url, options, observeListener(listener, connection, observer))
    return observeSocket(socket, connection, observer)
  },
  close: () => transport.close(),
})

const observeListener = <Connection>(
  listener: SocketListener,
  connection: Connection,
  observer: TransportObserver<Connection>,
): SocketListener => ({
  opened: () => {
    observer.opened(connection)
    listener.opened()
  },
  bytes: (memory, start, end) => {
    const frame = Buffer.from(memory.subarray(start, end)).toString()
    observer.received(connection, frame, () => {
      if (listener.bytes(memory, start, end)) observer.usedFastPath()
      else listener.text(frame)
    })
    return true
  },
  text: (frame) => observer.received(connection, frame, () => listener.text(frame)),
  binary: (frame) => listener.binary(frame),
  alive: () => listener.alive(),
  pong: (payload) => listener.pong?.(payload),
  closed: (code, reason, refusal) => {
    observer.closed(connection)
    listener.closed(code, reason, refusal)
  },
})

const observeSocket = <Connection>(
  socket: Socket,
  connection: Connection,
  observer: TransportObserver<Connection>,
): Socket => ({
  send: (frame) => {
    observer.sending(connection, frame)
    socket.send(frame)
  },
  ping: (payload) => socket.ping?.(payload),
  close: () => {
    observer.closed(connection)
    socket.close()
  },
  terminate: () => {
    observer.closed(connection)
    socket.terminate()
  },
})
