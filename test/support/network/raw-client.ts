import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../time/eventually.js'

/** A plain WebSocket client that collects what it receives. */
export interface RawClient {
  readonly socket: WebSocket
  /** The received text frames, and binary frames as `binary <hex>`, in order. */
  readonly frames: readonly string[]
  /** Undefined until the socket has closed. */
  readonly closeCode: number | undefined
  readonly pongs: number
  readonly subscribe: (topic: string) => void
  readonly unsubscribe: (topic: string) => void
  /** Resolves to the first `count` frames when they have arrived. */
  readonly firstFrames: (count: number) => Promise<readonly string[]>
  /** Resolves to the close code. */
  readonly waitForClose: () => Promise<number>
}

export const openRawClient = async (url: string): Promise<RawClient> => {
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
    get closeCode() {
      return code
    },
    get pongs() {
      return pongs
    },
    subscribe: (topic) => socket.send(JSON.stringify({ method: 'subscribe', topic })),
    unsubscribe: (topic) => socket.send(JSON.stringify({ method: 'unsubscribe', topic })),
    firstFrames: async (count) => {
      await eventually(() => frames.length >= count)
      return frames.slice(0, count)
    },
    waitForClose: async () => {
      await eventually(() => code !== undefined)
      return code!
    },
  }
}
