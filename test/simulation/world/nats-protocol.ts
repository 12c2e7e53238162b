/** A message of a client to a NATS server: https://docs.nats.io/reference/reference-protocols/nats-protocol */
export type ClientCommand =
  | { readonly type: 'connect'; readonly options: ConnectOptions }
  | { readonly type: 'ping' | 'pong' }
  | { readonly type: 'sub'; readonly subject: string; readonly sid: string }
  | { readonly type: 'unsub'; readonly sid: string; readonly max: number }
  | Publication

export interface Publication {
  readonly type: 'pub'
  readonly subject: string
  readonly reply: string | undefined
  /** The size of the headers, which the payload begins with, in bytes; `undefined` if there are none. */
  readonly headerBytes: number | undefined
  readonly payload: Buffer
}

export interface ConnectOptions {
  readonly user?: string
  readonly pass?: string
  readonly headers?: boolean
  readonly no_responders?: boolean
  readonly echo?: boolean
  /** 1: the client reads information that the server sends later. */
  readonly protocol?: number
}

/** Why a server ends a connection, in its words. */
export type ProtocolFailure =
  'Unknown Protocol Operation' | 'Maximum Payload Violation' | 'maximum control line exceeded'

/** The maximum length of a line, in bytes. */
const maxControlLine = 4_096

const lineEnd = '\r\n'

/** Reads the bytes of one client. */
export class CommandReader {
  private bytes: Buffer = Buffer.alloc(0)

  constructor(private readonly maxPayload: number) {}

  add(bytes: Uint8Array): void {
    this.bytes = Buffer.concat([this.bytes, bytes])
  }

  /** The next command, or why the connection must end; `undefined` if none is complete. */
  next(): ClientCommand | ProtocolFailure | undefined {
    const end = this.bytes.indexOf(lineEnd)
    if ((end < 0 ? this.bytes.length : end) > maxControlLine) return 'maximum control line exceeded'
    if (end < 0) return undefined
    const line = this.bytes.toString('latin1', 0, end)
    const start = end + lineEnd.length
    const [name = '', ...words] = line.split(/[ \t]+/)
    const operation = name.toLowerCase()
    if (operation === 'pub' || operation === 'hpub') return this.publication(operation, words, start)
    this.bytes = this.bytes.subarray(start)
    switch (operation) {
      case 'connect':
        return { type: 'connect', options: JSON.parse(line.slice(name.length)) as ConnectOptions }
      case 'ping':
      case 'pong':
        return { type: operation }
      case 'sub': {
        const [subject = '', sid = '', queued] = words
        if (queued !== undefined) throw new Error('queue groups are not simulated')
        return { type: 'sub', subject, sid }
      }
      case 'unsub':
        return { type: 'unsub', sid: words[0] ?? '', max: Number(words[1] ?? 0) }
      default:
        return 'Unknown Protocol Operation'
    }
  }

  private publication(
    operation: 'pub' | 'hpub',
    words: readonly string[],
    start: number,
  ): Publication | ProtocolFailure | undefined {
    const sizes = operation === 'hpub' ? 2 : 1
    const size = Number(words.at(-1))
    if (size > this.maxPayload) return 'Maximum Payload Violation'
    const end = start + size
    if (this.bytes.length < end + lineEnd.length) return undefined
    const payload = Buffer.from(this.bytes.subarray(start, end))
    this.bytes = this.bytes.subarray(end + lineEnd.length)
    const [subject = '', reply] = words.slice(0, -sizes)
    const headerBytes = operation === 'hpub' ? Number(words.at(-2)) : undefined
    return { type: 'pub', subject, reply, headerBytes, payload }
  }
}

/** The message that a subscription receives. */
export const messageOf = (
  { subject, reply, headerBytes, payload }: Omit<Publication, 'type'>,
  sid: string,
): Uint8Array => {
  const sizes = headerBytes === undefined ? `${payload.length}` : `${headerBytes} ${payload.length}`
  const words = [
    headerBytes === undefined ? 'MSG' : 'HMSG',
    subject,
    sid,
    ...(reply === undefined ? [] : [reply]),
  ]
  return Buffer.concat([Buffer.from(`${words.join(' ')} ${sizes}${lineEnd}`), payload, Buffer.from(lineEnd)])
}

/** Subjects consist of tokens. In a pattern, `*` stands for one token, and `>` for all that follow. */
export const isValidPattern = (subject: string): boolean => {
  const tokens = subject.split('.')
  return tokens.every((token, index) => token !== '' && (token !== '>' || index === tokens.length - 1))
}

/** True if the pattern matches a subject, or all subjects of another pattern. */
export const isMatch = (pattern: string, subject: string): boolean => {
  const expected = pattern.split('.')
  const tokens = subject.split('.')
  for (const [index, token] of expected.entries()) {
    if (token === '>') return tokens.length > index
    const found = tokens[index]
    if (found === undefined || (token !== found && (token !== '*' || found === '>'))) return false
  }
  return tokens.length === expected.length
}
