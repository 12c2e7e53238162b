// A transport of the project over ws's message event alone, by ws as everybody uses it: without the lane below it.
import { WebSocket } from 'ws'

export const overMessages = {
  dial(url, { maxFrameBytes }, listener) {
    const asTheProject = { perMessageDeflate: false, skipUTF8Validation: true }
    const socket = new WebSocket(url, { ...asTheProject, maxPayload: maxFrameBytes })
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
