import { onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { eventually } from '../eventually.js'

/** A plain WebSocket client: what it received, and how it ended. */
export interface RawClient {
  readonly socket: WebSocket
  /** Text frames, in order; binary ones as `binary <hex>`. */
  readonly frames: readonly string[]
  /** Close code, once it is closed. */
  readonly code: number | undefined
  readonly pongs: number
  readonly subscribe: (topic: string) => void
  readonly unsubscribe: (topic: string) => void
  /** Resolves to the first `count` frames when they are there. */
  readonly first: (count: number) => Promise<readonly string[]>
  readonly closed: () => Promise<number>
}

export const dial = async (url: string): Promise<RawClient> => {
  const socket = new WebSocket(url)
  const frames: string[] = []
  let code: number | undefined
  let pongs = 0
  onTestFinished(() => socket.terminate())
  socket.on('message', (data: Buffer, isBinary) =>
    frames.push(isBinary ? `binary ${data.toString('hex')}` : data.toString()),
  )
  socket.on('pong', () => (pongs += 1))
  socket.on('close', (closeCode) => (code = closeCode))
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => undefined)
  return {
    socket,
    frames,
    get code() {
      return code
    },
    get pongs() {
      return pongs
    },
    subscribe: (topic) => socket.send(JSON.stringify({ method: 'subscribe', topic })),
    unsubscribe: (topic) => socket.send(JSON.stringify({ method: 'unsubscribe', topic })),
    first: async (count) => {
      await eventually(() => frames.length >= count)
      return frames.slice(0, count)
    },
    closed: async () => {
      await eventually(() => code !== undefined)
      return code!
    },
  }
}
