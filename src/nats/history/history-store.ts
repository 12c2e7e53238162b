import type { StreamInfo } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { maxPayloadOf } from '../connection/publish.js'
import type { Subjects } from '../subjects.js'
import {
  apiCodeOf,
  jetStreamFailure,
  streamNotFound,
  wrongLastSequence,
  type JetStream,
  type OpenJetStream,
} from './jetstream.js'

/** The time in which the stream recognises a repeated message by its id, in ms: repeats come every second. */
const duplicateWindow = 120_000

const nanosPerMs = 1_000_000

/** Maximum size of a message, in bytes: the size of a chunk of a reading. */
const maxMessageBytes = 2 ** 16

/** Maximum size of the headers that JetStream reads, in bytes. */
const headerBytes = 512

/** A message with rows of one topic. */
export interface HistoryMessage {
  readonly subject: string
  /** Whole lines. */
  readonly text: string
  /** The stream stores one message of this id. */
  readonly id: string
  /**
   * The last message of the topic, which this gateway has stored. 0: the stream has no message of the topic. `undefined`:
   * this gateway starts to store the topic.
   */
  readonly after: number | undefined
}

/**
 * `Stored`: the message has this number in the stream. `Overtaken`: another gateway has stored a message of the topic
 * since `after`, so this message was not stored. `Emptied`: nor was it, because the stream has no message of the topic any more:
 * it was purged, or its limits are reached. `Gone`: the stream was deleted, made anew, or got other subjects, after this
 * store was opened. `Failed`: the message may have been stored.
 */
export type StoreResult =
  | { readonly _tag: 'Stored'; readonly sequence: number }
  | { readonly _tag: 'Overtaken' }
  | { readonly _tag: 'Emptied' }
  | { readonly _tag: 'Gone' }
  | { readonly _tag: 'Failed'; readonly error: Error }

/** The stream of a history, over one connection to NATS. */
export interface HistoryStore {
  /** When the stream was created, as the server writes it. */
  readonly created: string
  /** Maximum size of the text of a message, in bytes. */
  readonly maxBytes: () => number
  /** Never rejects. */
  readonly store: (message: HistoryMessage) => Promise<StoreResult>
}

/** Finds or creates the stream. `keep` in ms. Rejects with the reason, as a text, if there is no stream afterwards. */
export const openHistoryStore = async (
  open: OpenJetStream,
  connection: NatsConnection,
  subjects: Subjects,
  keep: number,
): Promise<HistoryStore> => {
  const jetStream = await open(connection)
  const { created } = await prepareStream(jetStream, subjects, keep).catch((thrown: unknown) => {
    throw jetStreamFailure(thrown)
  })
  return {
    created,
    maxBytes: () => Math.min(maxMessageBytes, maxPayloadOf(connection) - headerBytes),
    store: async (message) => {
      const result = await publishTo(jetStream, subjects, message)
      return result._tag !== 'Stored' && (await isGone(jetStream, subjects, created))
        ? { _tag: 'Gone' }
        : result
    },
  }
}

/**
 * The server answers a message that no stream stores like a server without JetStream, and the number of a deleted stream
 * like a message of another gateway: only the stream itself shows the cause. False if it cannot be asked.
 */
const isGone = async (
  { manager }: JetStream,
  { historyStream, histories }: Subjects,
  opened: string,
): Promise<boolean> => {
  try {
    const { created, config } = await manager.streams.info(historyStream)
    return created !== opened || !config.subjects.includes(histories)
  } catch (thrown) {
    return apiCodeOf(thrown) === streamNotFound
  }
}

const prepareStream = async (
  { manager }: JetStream,
  { historyStream: name, histories }: Subjects,
  keep: number,
): Promise<StreamInfo> => {
  const maxAge = keep === Infinity ? 0 : keep * nanosPerMs
  const { streams } = manager
  const found = await streams.info(name).catch((thrown: unknown) => {
    if (apiCodeOf(thrown) === streamNotFound) return undefined
    throw thrown
  })
  if (found === undefined) {
    return streams.add({
      name,
      subjects: [histories],
      max_age: maxAge,
      discard: 'old',
      duplicate_window: Math.min(duplicateWindow, keep) * nanosPerMs,
    })
  }
  const { config } = found
  if (!config.subjects.includes(histories)) {
    const actual = config.subjects.join(', ')
    throw new Error(`the stream ${name} has other subjects: expected ${histories}, got ${actual}`)
  }
  if (config.max_age === maxAge) return found
  const window = Math.min(config.duplicate_window, maxAge === 0 ? Infinity : maxAge)
  return streams.update(name, { max_age: maxAge, duplicate_window: window })
}

const publishTo = async (
  { client }: JetStream,
  { historyStream }: Subjects,
  { subject, text, id, after }: HistoryMessage,
): Promise<StoreResult> => {
  try {
    const expect = {
      streamName: historyStream,
      ...(after === undefined ? {} : { lastSubjectSequence: after }),
    }
    const { seq } = await client.publish(subject, text, { msgID: id, expect })
    return { _tag: 'Stored', sequence: seq }
  } catch (thrown) {
    if (apiCodeOf(thrown) === wrongLastSequence)
      return { _tag: lastSequenceIn(thrown) === 0 ? 'Emptied' : 'Overtaken' }
    const error = jetStreamFailure(thrown)
    // The answer if no stream has the subject, and if there is no JetStream.
    return {
      _tag: 'Failed',
      error: error === thrown ? error : new Error(`no stream stores ${subject}`, { cause: thrown }),
    }
  }
}

/** The number of the last message of the topic, as the server writes it: `wrong last sequence: 0`. */
const lastSequenceIn = (thrown: unknown): number => Number(/\d+$/.exec((thrown as Error).message)?.[0] ?? NaN)
