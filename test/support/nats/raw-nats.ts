import { connect, type Msg, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'

/** Opens a connection that knows nothing of the library. It is closed when the test finishes. */
export const connectRaw = async (
  onFinished: (release: () => Promise<void>) => void,
  options: NodeConnectionOptions,
): Promise<NatsConnection> => {
  const connection = await connect(options)
  onFinished(() => connection.close())
  return connection
}

/** Sends a request without a payload. A busy machine takes longer than the client's default timeout of 1 s. */
export const requestRaw = (connection: NatsConnection, subject: string): Promise<Msg> =>
  connection.request(subject, undefined, { timeout: 60_000 })

export interface RawMessage {
  readonly subject: string
  readonly text: string
}

/** What a subscription has received so far. */
export interface RawSubscription {
  readonly messages: readonly RawMessage[]
  /** The names of its errors, such as `PermissionViolationError`. */
  readonly errors: readonly string[]
}

/** Subscribes to a subject. Resolves when the server has received the subscription. */
export const subscribeRaw = async (connection: NatsConnection, subject: string): Promise<RawSubscription> => {
  const messages: RawMessage[] = []
  const errors: string[] = []
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (error !== null) errors.push(error.name)
      else messages.push({ subject: message.subject, text: message.string() })
    },
  })
  await connection.flush()
  return { messages, errors }
}
