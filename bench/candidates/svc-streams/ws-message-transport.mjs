// A transport over the public `message` event of `ws`, without the frame tap.
import { WebSocket } from 'ws'

export const wsMessageTransport = {
  dial(url, { maxFrameBytes }, listener) {
    const defaults = { perMessageDeflate: false, skipUTF8Validation: true }
    const socket = new WebSocket(url, { ...defaults, maxPayload: maxFrameBytes })
    socket.on('open', () => listener.opened())
    socket.on('message', (data) => {
      if (!listener.bytes(data, 0, data.length)) listener.text(data.toString())
    })
    socket.on('pong', () => listener.alive())
    socket.on('error', () => {})
    socket.on('close', (code, reason) => listener.closed(code, reason.toString()))
    return {
      send: (frame) => socket.send(frame),
      ping: () => socket.ping(),
      close: () => socket.close(),
      terminate: () => socket.terminate(),
    }
  },
  close: () => Promise.resolve(),
}
