import { asyncScheduler, merge } from 'rxjs'
import type { Client, PriceClient } from '../../client/client.js'
import { isAddress, type Address } from '../../domain/address.js'
import { isInterval } from '../../domain/interval.js'
import { isTopicOfAny, type Topic } from '../../domain/topic.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import type { RecordingHeader } from '../format/row.js'
import { depthRow$, priceRow$, statusRow$, uncorrelatedRow$ } from './client-rows.js'
import { LineRecorder, type LineWriter, type Recorder } from './recorder.js'

export interface RecordOptions {
  /** Where the recording goes. It is the caller's: it is neither opened nor ended here. */
  readonly to: LineWriter
  /** Whose prices are recorded. Default: none. */
  readonly topics?: readonly Topic[]
  /** Whose depths are recorded; they need a client with depth. Default: none. */
  readonly mints?: readonly Address[]
  /** Of the polls of depths, in ms, at least 1. Default: 1000. */
  readonly interval?: number
}

/**
 * Writes what a client gives, values and errors, with the time of each, as lines of JSON that `replay` reads: the
 * prices of some topics, the depths of some mints, the status of the connection, and what belongs to no topic. Each
 * row is one whole line in one `write`, as soon as it comes, so that a crash loses no more than the writable had not
 * yet passed on. Quantities are exact. A recording may be appended to another of the same streams.
 *
 * It begins at once, and ends with `stop`, with the client, when all its streams have completed, or when writing
 * fails. Throws a `ConfigurationError` for a malformed topic, mint or interval, or if there is nothing to record.
 *
 * @example
 * import { createWriteStream } from 'node:fs'
 *
 * const recorder = record(client, { topics: [topic], mints: [mint], to: createWriteStream('market.ndjson') })
 */
export const record = (client: PriceClient | Client, options: RecordOptions): Recorder => {
  const { topics, mints, interval } = checked(client, options)
  const recorder = new LineRecorder(options.to, {
    _tag: 'Recording',
    version: 1,
    at: asyncScheduler.now(),
    topics,
    mints,
    interval,
  })
  recorder.follow(statusRow$(client))
  recorder.follow(uncorrelatedRow$(client))
  recorder.followToEnd(
    merge(
      ...topics.map((topic) => priceRow$(client, topic)),
      ...mints.map((mint) => depthRow$(client as Client, mint, interval)),
    ),
  )
  return recorder
}

const checked = (
  client: PriceClient | Client,
  { topics = [], mints = [], interval = 1000 }: RecordOptions,
): Pick<RecordingHeader, 'topics' | 'mints' | 'interval'> => {
  if (!topics.every((topic: unknown) => isTopicOfAny(topic))) {
    throw new ConfigurationError('topics', 'expected topics like svc-0x82af…')
  }
  if (!mints.every((mint: unknown) => isAddress(mint))) {
    throw new ConfigurationError('mints', 'expected token addresses like 0x82af…')
  }
  if (!isInterval(interval)) {
    throw new ConfigurationError('interval', 'expected a finite number of at least 1')
  }
  if (topics.length + mints.length === 0) {
    throw new ConfigurationError('topics', 'expected a topic or a mint to record')
  }
  if (mints.length > 0 && !('depth$' in client)) {
    throw new ConfigurationError('mints', 'the client has no depth')
  }
  return { topics: distinct(topics), mints: distinct(mints), interval }
}

/** Each once, in the case in which it comes first. */
const distinct = <Name extends string>(names: readonly Name[]): readonly Name[] =>
  [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed()
