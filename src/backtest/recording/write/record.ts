import { merge } from 'rxjs'
import { checkClient } from '../../../client/options.js'
import type { Client, PriceClient } from '../../../client/client.js'
import { isAddress, type Address, isTopicOfAnyService, type Topic } from '../../../base/domain/topic.js'
import { ConfigurationError } from '../../../base/errors/configuration-error.js'
import {
  checkedOption,
  objectWith,
  required,
  type Check,
  type OptionTable,
} from '../../../base/option-kinds/option.js'
import { listOption } from '../../option-kinds.js'
import { numberOption } from '../../../base/option-kinds/number-option.js'
import { parseOptions } from '../../../base/option-kinds/parse-options.js'
import { rxClock } from '../../../base/time/clock.js'
import { createHeader, distinctNames, type RecordingHeader } from '../codec/row.js'
import { depthRow$, priceRow$, RowTimes, statusRow$, uncorrelatedRow$ } from './client-rows.js'
import { LineRecorder, type LineWriter, type Recorder } from './line-recorder.js'

export interface RecordOptions {
  /**
   * The path of a new file, or a writable that receives the lines. A path that ends in `.gz` is compressed. An existing
   * file is not overwritten: the recording ends with a `WriteError`. The caller opens and ends a writable.
   */
  readonly to: string | LineWriter
  /** The topics whose prices are recorded. Default: none. */
  readonly topics?: readonly Topic[]
  /** The mints whose depths are recorded. They require a client with depth. Default: none. */
  readonly mints?: readonly Address[]
  /** Interval of the depth polls, in ms, at least 1. Default: 1000. */
  readonly interval?: number
}

/** Throws if the file cannot be created. */
type CreateFile = (path: string) => LineWriter & { readonly close: () => void }

/** The `record` of a platform. `undefined`: the platform has no files. */
export const recordOn =
  (createFile: CreateFile | undefined) =>
  (client: PriceClient | Client, options: RecordOptions): Recorder => {
    checkClient(client)
    const { topics, mints, interval } = checkOptions(client, options)
    const header = createHeader(rxClock.wallClock(), topics, mints, interval)
    const recorder = createRecorder(createFile, options.to, header)
    const times = new RowTimes((at) => recorder.add({ ...header, at }))
    recorder.record(statusRow$(client, times))
    recorder.record(uncorrelatedRow$(client, times))
    recorder.record(
      merge(
        ...topics.map((topic) => priceRow$(client, topic, times)),
        ...mints.map((mint) => depthRow$(client as Client, mint, interval, times)),
      ),
      () => void recorder.stop(),
    )
    return recorder
  }

const createRecorder = (
  createFile: CreateFile | undefined,
  to: string | LineWriter,
  header: RecordingHeader,
): LineRecorder => {
  if (typeof to !== 'string') return new LineRecorder(to, header)
  if (createFile === undefined)
    throw new ConfigurationError('to', 'expected a writable: a browser has no files')
  // The first line creates it, so that a file that cannot be created is a `WriteError`.
  let file: ReturnType<CreateFile> | undefined
  const write: LineWriter['write'] = (line, done) => (file ??= createFile(to)).write(line, done)
  return new LineRecorder({ write }, header, () => file?.close())
}

const checkOptions = (
  client: PriceClient | Client,
  options: RecordOptions,
): Pick<RecordingHeader, 'topics' | 'mints' | 'interval'> => {
  const { topics, mints, interval } = parseOptions(recordTable, options, { allowsUndefined: true })
  if (topics.length + mints.length === 0) {
    throw new ConfigurationError('topics', 'expected a topic or a mint to record')
  }
  const [mint] = mints
  if (mint !== undefined) {
    if (!('depth$' in client)) throw new ConfigurationError('mints', 'the client has no depth')
    // Throws a `ConfigurationError` for a live client without depth.
    void client.depth$(mint, interval)
  }
  return { topics: distinctNames(topics), mints: distinctNames(mints), interval }
}

const writable = objectWith(['write'])

export const targetCheck: Check = {
  expected: `a path, or ${writable.expected}`,
  holds: (value) => (typeof value === 'string' && value !== '') || writable.holds(value),
}

const recordTable = {
  to: required(checkedOption<string | LineWriter>('object', targetCheck)),
  topics: listOption<Topic>('topics like svc-0x82af…', isTopicOfAnyService),
  mints: listOption<Address>('token addresses like 0x82af…', isAddress),
  interval: numberOption({ unit: 'ms', min: 1, default: 1000 }),
} satisfies OptionTable<RecordOptions>
