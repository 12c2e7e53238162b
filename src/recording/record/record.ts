import { merge } from 'rxjs'
import type { Client, PriceClient } from '../../client/client.js'
import { isAddress, type Address } from '../../domain/address.js'
import { isInterval } from '../../domain/interval.js'
import { isTopicOfAnyService, type Topic } from '../../domain/topic.js'
import { ConfigurationError } from '../../errors/configuration-error.js'
import { rxClock } from '../../time/rx-clock.js'
import type { RecordingHeader } from '../format/row.js'
import { depthRow$, priceRow$, statusRow$, uncorrelatedRow$ } from './client-rows.js'
import { LineRecorder, type LineWriter, type Recorder } from './line-recorder.js'

export interface RecordOptions {
  /** The writable that receives the lines. The caller opens and ends it. */
  readonly to: LineWriter
  /** The topics whose prices are recorded. Default: none. */
  readonly topics?: readonly Topic[]
  /** The mints whose depths are recorded. They require a client with depth. Default: none. */
  readonly mints?: readonly Address[]
  /** Interval of the depth polls, in ms, at least 1. Default: 1000. */
  readonly interval?: number
}

/**
 * Records a client as lines of JSON that `replay` reads: the prices of some topics, the depths of some mints, the status
 * of the connection, and uncorrelated errors. Each row is one event, value or error, with its time. Quantities are exact.
 * A recording may be appended to another recording of the same streams.
 *
 * Each row is one whole line in one `write`, made when the event arrives. A crash loses only what the writable has
 * buffered.
 *
 * Recording starts immediately. It ends on `stop`, when the client closes, when all recorded streams have completed, or
 * when a write fails.
 *
 * Throws a `ConfigurationError` for a malformed topic, mint or interval, and if there is no topic and no mint.
 *
 * @example
 * import { createWriteStream } from 'node:fs'
 *
 * const recorder = record(client, { topics: [topic], mints: [mint], to: createWriteStream('market.ndjson') })
 */
export const record = (client: PriceClient | Client, options: RecordOptions): Recorder => {
  const { topics, mints, interval } = checkOptions(client, options)
  const recorder = new LineRecorder(options.to, {
    _tag: 'Recording',
    version: 1,
    at: rxClock.wallClock(),
    topics,
    mints,
    interval,
  })
  recorder.record(statusRow$(client))
  recorder.record(uncorrelatedRow$(client))
  recorder.recordUntilComplete(
    merge(
      ...topics.map((topic) => priceRow$(client, topic)),
      ...mints.map((mint) => depthRow$(client as Client, mint, interval)),
    ),
  )
  return recorder
}

const checkOptions = (
  client: PriceClient | Client,
  { topics = [], mints = [], interval = 1000 }: RecordOptions,
): Pick<RecordingHeader, 'topics' | 'mints' | 'interval'> => {
  if (!topics.every((topic: unknown) => isTopicOfAnyService(topic))) {
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
  return { topics: distinctNames(topics), mints: distinctNames(mints), interval }
}

/** Removes duplicates, ignoring case. Keeps the first spelling. */
const distinctNames = <Name extends string>(names: readonly Name[]): readonly Name[] =>
  [...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values()].toReversed()
