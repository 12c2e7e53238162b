import type { Socket } from 'node:net'

/** `up`: to the service; `down`: to the client. */
export type Direction = 'up' | 'down'

/** Network conditions that apply to each chunk of data. */
export interface NetworkConditions {
  /** The maximum size of a chunk, in bytes: a slow link forwards a little data often. */
  readonly maxChunk: (direction: Direction) => number
  /** Resolves when a chunk of this size may be forwarded. */
  readonly whenForwardable: (direction: Direction, size: number) => Promise<void>
  readonly transform: (chunk: Buffer, direction: Direction) => Buffer
}

/** Forwards data between two sockets in both directions, in order and with backpressure. */
export const link = (client: Socket, service: Socket, conditions: NetworkConditions): void => {
  void forward(client, service, 'up', conditions)
  void forward(service, client, 'down', conditions)
}

const forward = async (
  from: Socket,
  to: Socket,
  direction: Direction,
  conditions: NetworkConditions,
): Promise<void> => {
  const { maxChunk, whenForwardable, transform } = conditions
  const isClosed = (): boolean => to.destroyed
  const reads = from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  try {
    for await (const read of reads) {
      for (let start = 0; start < read.length;) {
        const chunk = read.subarray(start, start + maxChunk(direction))
        start += chunk.length
        // The data of a closed connection uses no bandwidth.
        if (isClosed()) break
        await whenForwardable(direction, chunk.length)
        const hasRoom = isClosed() || to.write(transform(chunk, direction))
        if (!hasRoom) await drained(to)
      }
    }
    await whenForwardable(direction, 0)
    to.end()
  } catch (error) {
    // A socket was closed without a FIN. Close the other one in the same way.
    await whenForwardable(direction, 0)
    if (isPrematureClose(error)) to.destroy()
    else reset(to)
  }
}

/** Resolves when a socket accepts data again or is closed. Leaves no listener: a slow reader causes many of these waits. */
const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      socket.off('drain', settle).off('close', settle)
      resolve()
    }
    socket.on('drain', settle).on('close', settle)
  })

/** Closes a connection with an RST. Node never closes a socket that is reset after `end()`. */
export const reset = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** True if the socket was destroyed locally, and not reset or refused by its peer. */
const isPrematureClose = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
