import { once } from 'node:events'
import type { Socket } from 'node:net'

/** What a network does to the data that it carries. */
export interface Network {
  /** Resolves when a piece of data may go on. */
  readonly passage: () => Promise<void>
  /** What becomes of it: `up` goes to the service, `down` comes from it. */
  readonly mangled: (data: Buffer, direction: 'up' | 'down') => Buffer
}

/** Carries data between two sockets, both ways and in order, no faster than the receiver takes it. */
export const link = (client: Socket, service: Socket, network: Network): void => {
  void carry(client, service, 'up', network)
  void carry(service, client, 'down', network)
}

const carry = async (from: Socket, to: Socket, direction: 'up' | 'down', network: Network): Promise<void> => {
  const pieces = from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  try {
    for await (const data of pieces) {
      await network.passage()
      const isTaken = to.destroyed || to.write(network.mangled(data, direction))
      if (!isTaken) await Promise.race([once(to, 'drain'), once(to, 'close')])
    }
    await network.passage()
    to.end()
  } catch (error) {
    // One end is gone without a goodbye, and so goes the other.
    await network.passage()
    if (isCut(error)) to.destroy()
    else reset(to)
  }
}

/** Ends a connection with an RST. Node never closes a socket that it is to reset while it says goodbye. */
export const reset = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

/** Whether a socket was just closed, rather than reset, or refused. */
const isCut = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
