import { isMatch, type Publication } from '../world/nats-protocol.js'

/** The configuration of a stream, as far as the library sets it. Times are in ns. */
interface StreamConfig {
  readonly name: string
  readonly subjects: readonly string[]
  readonly duplicate_window: number
}

/** A message that a stream has stored. */
export interface StoredMessage {
  readonly subject: string
  readonly text: string
  readonly sequence: number
}

interface Stream {
  readonly config: StreamConfig
  readonly messages: StoredMessage[]
  /** The newest message with each identifier, and when it was stored, in ms. */
  readonly identifiers: Map<string, { readonly sequence: number; readonly at: number }>
}

/** An answer of the API, or an acknowledgement, which has a `seq`. */
type Answer = object

const nanosPerMs = 1_000_000

const api = '$JS.API.STREAM.'

/**
 * The part of JetStream that a history is written by: streams are created and found, and messages are stored once, with
 * acknowledgements. The streams are on the disk of the machine: they outlast its process.
 */
export class JetStream {
  private readonly streams = new Map<string, Stream>()

  /** `now`: the time of day, in ms. */
  constructor(private readonly now: () => number) {}

  /** The messages of a stream. */
  messagesOf(name: string): readonly StoredMessage[] {
    return this.streams.get(name)?.messages ?? []
  }

  /** Returns the answers to a message: one if it is a request of the API, or one of each stream that stores its subject. */
  receive(message: Publication): readonly Answer[] {
    const { subject, payload } = message
    if (subject.startsWith(api)) {
      const [operation = '', name = ''] = subject.slice(api.length).split('.')
      return [this.request(operation, name, payload)]
    }
    return [...this.streams.values()]
      .filter(({ config }) => config.subjects.some((pattern) => isMatch(pattern, subject)))
      .map((stream) => this.store(stream, message))
  }

  private request(operation: string, name: string, payload: Buffer): Answer {
    const type = `io.nats.jetstream.api.v1.stream_${operation.toLowerCase()}_response`
    const known = this.streams.get(name)
    switch (operation) {
      case 'INFO':
        return { type, ...(known === undefined ? failure(404, 10_059, 'stream not found') : describe(known)) }
      case 'CREATE': {
        const config = JSON.parse(payload.toString()) as StreamConfig
        if (known !== undefined && JSON.stringify(known.config) !== JSON.stringify(config))
          return {
            type,
            ...failure(400, 10_058, 'stream name already in use with a different configuration'),
          }
        const stream = known ?? { config, messages: [], identifiers: new Map() }
        this.streams.set(name, stream)
        return { type, ...describe(stream) }
      }
      default:
        throw new Error(`the request ${operation} of JetStream is not simulated`)
    }
  }

  private store({ config, messages, identifiers }: Stream, message: Publication): Answer {
    const { subject, headerBytes = 0, payload } = message
    const headers = readHeaders(payload.toString('utf8', 0, headerBytes))
    const stream = config.name
    const expectedStream = headers.get('Nats-Expected-Stream') ?? stream
    if (expectedStream !== stream)
      return { ...failure(400, 10_060, 'expected stream does not match'), stream, seq: 0 }
    const id = headers.get('Nats-Msg-Id')
    const known = id === undefined ? undefined : identifiers.get(id)
    if (known !== undefined && this.now() - known.at < config.duplicate_window / nanosPerMs)
      return { stream, seq: known.sequence, duplicate: true }
    const last = messages.findLast((each) => each.subject === subject)?.sequence ?? 0
    const expected = Number(headers.get('Nats-Expected-Last-Subject-Sequence') ?? last)
    if (expected !== last) return { ...failure(400, 10_071, `wrong last sequence: ${last}`), stream, seq: 0 }
    const sequence = messages.length + 1
    messages.push({ subject, text: payload.toString('utf8', headerBytes), sequence })
    if (id !== undefined) identifiers.set(id, { sequence, at: this.now() })
    return { stream, seq: sequence }
  }
}

const describe = ({ config, messages }: Stream): object => ({
  config,
  state: {
    messages: messages.length,
    first_seq: messages.length === 0 ? 0 : 1,
    last_seq: messages.length,
  },
})

const failure = (code: number, err_code: number, description: string): object => ({
  error: { code, err_code, description },
})

const readHeaders = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split('\r\n')
      .slice(1)
      .map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon), line.slice(colon + 1).trim()]
      }),
  )
