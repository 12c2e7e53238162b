import type { Agent } from 'node:http'
import type { WebSocketTransport } from 'svc-streams'
import { WebSocket } from 'ws'

export const webSocketBy = (agent: Agent): WebSocketTransport => {
  const sockets = new Set<WebSocket>()
  return {
    dial(url, { maxFrameBytes }, listener) {
      const socket = new WebSocket(url, { agent, maxPayload: maxFrameBytes, perMessageDeflate: false })
      let failure = ''
      sockets.add(socket)
      socket.on('open', () => listener.opened())
      socket.on('message', (data: Buffer, isBinary) =>
        isBinary ? listener.binary(data) : listener.text(data.toString()),
      )
      socket.on('ping', () => listener.alive())
      socket.on('pong', (payload) => listener.pong?.(payload.toString()))
      socket.on('error', ({ message }) => (failure = message))
      socket.on('close', (code, reason) => {
        sockets.delete(socket)
        listener.closed(code, failure || reason.toString())
      })

      const isOpen = () => socket.readyState === WebSocket.OPEN
      const terminate = () => socket.terminate()
      return {
        get bufferedAmount() {
          return socket.bufferedAmount // lets the client bound the unsent bytes
        },
        send: (frame) => isOpen() && socket.send(frame),
        ping: (payload) => isOpen() && socket.ping(payload), // without the payload, maxLag has no effect
        close: terminate, // ws waits 30 s for the close frame of the peer
        terminate,
      }
    },
    close: async () => sockets.forEach((socket) => socket.terminate()),
  }
}
