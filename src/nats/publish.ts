import type { NatsConnection } from '@nats-io/transport-node'

/** The maximum size of one message, in bytes. It may change when the server is reconfigured. */
export const maxPayloadOf = ({ info }: Pick<NatsConnection, 'info'>): number => info?.max_payload ?? Infinity

/** A UTF-16 code unit has at most this many bytes in UTF-8. */
const maxBytesPerUnit = 3

/** Without messages of this size, in bytes, no session has prices. */
const sessionBytes = 512

/**
 * Publishes a text. Returns false, and publishes nothing, if the connection is closed or the text exceeds the server's
 * `max_payload`: the NATS client would throw, which ends the process or its reading of messages. A server announces another limit to
 * new connections alone: one that refuses what each session needs is connected to again. All messages of the library but requests are
 * published here.
 */
export const publish = (
  connection: Pick<NatsConnection, 'info' | 'isClosed' | 'publish' | 'reconnect'>,
  subject: string,
  text: string,
  reply?: string,
): boolean => {
  if (connection.isClosed()) return false
  const maxBytes = maxPayloadOf(connection)
  if (text.length * maxBytesPerUnit > maxBytes && Buffer.byteLength(text) > maxBytes) {
    if (text.length <= sessionBytes) void connection.reconnect()
    return false
  }
  // For a short text, this takes half the time of the NATS client's own encoding.
  connection.publish(subject, Buffer.from(text), reply === undefined ? undefined : { reply })
  return true
}
