import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

/** A consumer that knows nothing of the library: what it sends, and what it receives, as text. */
export interface RawConsumer {
  readonly webSocket: WebSocket
  /** Without the positions, whose runs are random. */
  readonly frames: readonly string[]
  readonly positions: readonly unknown[]
  /** The close code and reason; `undefined` while the connection is open. */
  readonly closed: () => { readonly code: number; readonly reason: string } | undefined
  readonly subscribe: (...topics: readonly string[]) => void
  readonly unsubscribe: (topic: string) => void
}

/** Opens a WebSocket to a gateway. Rejects if the upgrade is refused. */
export const connect = async ({ priceWsUrl }: { readonly priceWsUrl: string }): Promise<RawConsumer> => {
  const webSocket = new WebSocket(priceWsUrl, { perMessageDeflate: false })
  onTestFinished(() => webSocket.terminate())
  const frames: string[] = []
  const positions: unknown[] = []
  let closed: ReturnType<RawConsumer['closed']>
  webSocket.on('message', (data: Buffer) => {
    const [, position] = positionField.exec(data.toString()) ?? []
    if (position !== undefined) positions.push(JSON.parse(position))
    frames.push(data.toString().replace(positionField, ''))
  })
  webSocket.on('close', (code, reason) => (closed = { code, reason: reason.toString() }))
  const send = (method: string, topic: string): void => webSocket.send(JSON.stringify({ method, topic }))
  await once(webSocket, 'open')
  return {
    webSocket,
    frames,
    positions,
    closed: () => closed,
    subscribe: (...topics) => topics.forEach((topic) => send('subscribe', topic)),
    unsubscribe: (topic) => send('unsubscribe', topic),
  }
}

const positionField = /,"position":(\{[^}]*\})/

export const confirmation = (...subscriptions: readonly string[]): string => JSON.stringify({ subscriptions })
