import type { WebSocketTransport } from '../../transport/ports.js'
import type { ConsumerContext } from './consumer-context.js'
import { NatsSocket } from './nats-socket.js'

/** Sessions with gateways over NATS. The URL of a dial has no meaning. */
export const natsWebSocketTransport = (context: ConsumerContext): WebSocketTransport => {
  const sockets = new Set<NatsSocket>()
  return {
    dial: (_url, { maxFrameBytes }, listener) => {
      const socket = new NatsSocket(context, maxFrameBytes, listener, (ended) => sockets.delete(ended))
      sockets.add(socket)
      socket.dial()
      return socket
    },
    close: () => {
      for (const socket of [...sockets]) socket.close()
      return context.link.close()
    },
  }
}
