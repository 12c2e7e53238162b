import { isLeft, left, map, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { Secrets } from '../../wire/auth/secrets.js'
import { pricesFrom$, type CoveredTopic, type History } from './history.js'
import { parseRange } from './range.js'
import { parseRetryAfter } from '../../wire/codec/http-headers.js'
import { decodeCoveredTopics, emitPastLine } from './past-codec.js'
import type { Topic } from '../../base/domain/topic.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { httpError, networkError, timeout } from '../../base/errors/constructors.js'
import { unknownTopicAs } from '../recording/codec/errors.js'
import type { HistoryError } from '../../base/errors/model.js'
import { readWholeLines } from '../recording/read/whole-lines.js'
import { recordedHistory } from './recorded-history.js'
import {
  openableSource,
  openableSources,
  type Chunks,
  type RecordingPart,
  type SourcePlatform,
  type WebStream,
} from '../recording/read/source.js'
import { MovableDeadline } from '../../base/time/deadline.js'
import { rxClock } from '../../base/time/rx-clock.js'

/** The `openHistory` of a platform. */
export const openHistoryOn =
  (platform: SourcePlatform, fetch: Fetch) =>
  (source: readonly RecordingPart[] | string): History => {
    if (typeof source === 'string') return gatewayHistory(platform, fetch, source)
    if (!Array.isArray(source))
      throw new ConfigurationError('source', 'expected an array of recordings, or the URL of a gateway')
    return recordedHistory(openableSources(platform, source))
  }

/** Time without data after which a request fails, in ms. */
const silenceLimit = 60_000

/** `fetch` of a platform. */
type Fetch = (url: string, init: typeof settings & { readonly signal: AbortSignal }) => Promise<FetchResponse>

/** The part of a `Response` that is used here. The types of Node, of undici and of browsers differ. */
interface FetchResponse {
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly body: WebStream | null
}

/** The history of a gateway, by its URL. Throws a `ConfigurationError` for any other text. */
const gatewayHistory = (platform: SourcePlatform, fetch: Fetch, url: string): History => {
  const { base, query, secrets } = addressOf(url)
  return {
    prices$: pricesFrom$({
      parseTimes: (range) => map(() => range)(parseRange(range.from, range.to ?? range.from)),
      read: (topic, { from, to }, emit, closing) => {
        const range = `?from=${from}${to === undefined ? '' : `&to=${to}`}`
        const path = `/history/${topic}${range}${query.replace('?', '&')}`
        const request = new HistoryRequest(platform, fetch, base + path, topic)
        closing.add(() => request.abort())
        return request.lines((line) => emitPastLine(line, emit)).then((result) => secrets.redactLeft(result))
      },
    }),
    topics: () => async () => {
      const request = new HistoryRequest(platform, fetch, `${base}/history${query}`)
      let topics: Either<HistoryError, readonly CoveredTopic[]> = right([])
      const result = await request.lines((line) => (topics = decodeCoveredTopics(line)))
      return secrets.redactLeft(isLeft(result) ? result : topics)
    },
  }
}

/** The parts of the address of a gateway. `base` has no slash at its end. The error does not contain the URL, which may contain a key. */
const addressOf = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fail = (problem: string): never => {
    throw new ConfigurationError('source', `${problem} the URL of a gateway like http://127.0.0.1:8080`)
  }
  if (url === undefined || !/^https?:$/.test(url.protocol)) return fail('expected an array of recordings, or')
  const excess = excessOf(url)
  if (excess !== undefined) return fail(`got a URL with ${excess}, expected`)
  const secrets = new Secrets()
  secrets.addUrl(url)
  return { base: url.origin + url.pathname.replace(/\/+$/, ''), query: url.search, secrets }
}

/** The part of a URL that the history of a gateway does not support. */
const excessOf = ({ username, password, hash }: URL): string | undefined => {
  if (username + password !== '') return 'a user or a password'
  return hash === '' ? undefined : 'a fragment'
}

/** One GET request. The response is read line by line. */
class HistoryRequest {
  private readonly aborting = new AbortController()
  private readonly closing = new Subscription()
  private isSilent = false
  private readonly silence = new MovableDeadline(rxClock, () => {
    this.isSilent = true
    this.abort()
  })

  constructor(
    private readonly platform: SourcePlatform,
    private readonly fetch: Fetch,
    private readonly url: string,
    private readonly topic?: Topic,
  ) {}

  abort(): void {
    this.aborting.abort()
    this.closing.unsubscribe()
  }

  /** Reads the lines until one is a `Left`. Resolves to the error that ends the reading. Never rejects. */
  async lines(read: (line: string) => Either<HistoryError, unknown>): Promise<Either<HistoryError, unknown>> {
    try {
      this.silence.set(rxClock.elapsed() + silenceLimit)
      const response = await this.fetch(this.url, { ...settings, signal: this.aborting.signal })
      const result =
        response.status === 200 ? await this.readBody(response, read) : await this.failure(response)
      return this.isSilent ? left(timeout(silenceLimit)) : result
    } catch (thrown) {
      return left(this.isSilent ? timeout(silenceLimit) : networkError(reasonOf(thrown)))
    } finally {
      this.silence.stop()
      this.abort()
    }
  }

  private async readBody(
    { body }: FetchResponse,
    read: (line: string) => Either<HistoryError, unknown>,
  ): Promise<Either<HistoryError, unknown>> {
    if (body === null) return right(undefined)
    const decoder = new TextDecoder()
    for await (const bytes of readWholeLines(this.chunks(body), this.closing)) {
      this.silence.set(rxClock.elapsed() + silenceLimit)
      for (const line of decoder.decode(bytes).split('\n')) {
        if (line === '') continue
        const result = read(line)
        if (isLeft(result)) return result
      }
    }
    return right(undefined)
  }

  private async failure(response: FetchResponse): Promise<Either<HistoryError, never>> {
    const { topic } = this
    const { status, headers } = response
    const body = await this.startOf(response)
    if (topic !== undefined && status === 404 && body.startsWith(`${topic}: not in the history`)) {
      return left(unknownTopicAs(topic, body))
    }
    const header = (name: string): string | undefined => headers.get(name) ?? undefined
    const retryAfterMs = parseRetryAfter(header('retry-after'), header('date'), rxClock.wallClock())
    return left(httpError(status, body, retryAfterMs))
  }

  private async startOf({ body }: FetchResponse): Promise<string> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body === null ? [] : this.chunks(body)) {
      text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
      if (text.length >= maxErrorLength) break
    }
    return text.slice(0, maxErrorLength)
  }

  private chunks(body: WebStream): Chunks {
    return openableSource(this.platform, body).open(this.closing)
  }
}

/** Node's `fetch` puts the error of the connection into the `cause` of its own error. */
const reasonOf = (thrown: unknown): unknown =>
  thrown instanceof TypeError && thrown.cause instanceof Error ? thrown.cause : thrown

/** In characters. */
const maxErrorLength = 2048

/** The types of Node lack `cache`. */
const settings = {
  redirect: 'error',
  cache: 'no-store',
  credentials: 'omit',
  referrerPolicy: 'no-referrer',
} as const
