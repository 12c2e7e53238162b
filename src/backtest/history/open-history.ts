import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import { Secrets } from '../../wire/auth/secrets.js'
import { pricesFrom$, type CoveredTopic, type History } from './history.js'
import { parseRetryAfter } from '../../wire/codec/http-headers.js'
import { decodeCoveredTopics, emitPastLine } from './past-codec.js'
import type { Topic } from '../../base/domain/topic.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { httpError, networkError, timeout } from '../../base/errors/constructors.js'
import { unknownTopic } from '../recording/codec/errors.js'
import type { HistoryError } from '../../base/errors/model.js'
import { readWholeLines } from '../recording/read/whole-lines.js'
import { recordedHistory } from './recorded-history.js'
import {
  openableSource,
  openableSources,
  type RecordingPart,
  type SourcePlatform,
} from '../recording/read/source.js'
import { MovableDeadline } from '../../base/time/timers.js'
import { rxClock } from '../../base/time/clock.js'

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

/** Sends a GET request. The signal ends it, also after its response: it closes the connection. */
export type Fetch = (
  url: string,
  init: { readonly redirect: 'error' | 'manual'; readonly signal: AbortSignal },
) => Promise<Response>

/** The history of a gateway, by its URL. Throws a `ConfigurationError` for any other text. */
const gatewayHistory = (platform: SourcePlatform, fetch: Fetch, url: string): History => {
  const { base, query, secrets } = addressOf(url)
  /** Sends a GET request, and reads the lines of its response. Resolves to the error that ends the reading. Never rejects. */
  const get = async (
    path: string,
    closing: Subscription,
    read: ReadLine,
    topic?: Topic,
  ): Promise<Either<HistoryError, unknown>> => {
    const aborting = new AbortController()
    const opened = new Subscription(() => aborting.abort())
    closing.add(opened)
    let isSilent = false as boolean
    const silence = new MovableDeadline(rxClock, () => {
      isSilent = true
      opened.unsubscribe()
    })
    const wait = (): void => silence.set(rxClock.elapsed() + silenceLimit)
    let result: Either<HistoryError, unknown>
    try {
      wait()
      const response = await fetch(base + path, { ...settings, signal: aborting.signal })
      const chunks = openableSource(platform, response.body ?? []).open(opened)
      result =
        response.status === 200
          ? await readBody(readWholeLines(chunks, opened), wait, read)
          : left(errorOf(response, await startOf(chunks), topic))
    } catch (thrown) {
      result = left(networkError(reasonOf(thrown)))
    }
    silence.stop()
    opened.unsubscribe()
    return secrets.redactLeft(isSilent ? left(timeout(silenceLimit)) : result)
  }
  return {
    prices$: pricesFrom$((topic, { from, to }, emit, closing) => {
      const range = `?from=${from}${to === undefined ? '' : `&to=${to}`}`
      const path = `/history/${topic}${range}${query.replace('?', '&')}`
      return get(path, closing, (line) => emitPastLine(line, emit), topic)
    }),
    topics: () => async () => {
      let topics: Either<HistoryError, readonly CoveredTopic[]> = right([])
      const read: ReadLine = (line) => (topics = decodeCoveredTopics(line))
      const result = await get(`/history${query}`, new Subscription(), read)
      return isLeft(result) ? result : topics
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
  if (url.username + url.password !== '') return fail('got a URL with a user or a password, expected')
  if (url.hash !== '') return fail('got a URL with a fragment, expected')
  const secrets = new Secrets()
  secrets.addUrl(url)
  return { base: url.origin + url.pathname.replace(/\/+$/, ''), query: url.search, secrets }
}

/** Reads a line. A `Left` ends the reading. */
type ReadLine = (line: string) => Either<HistoryError, unknown>

const readBody = async (
  pieces: AsyncIterable<Uint8Array>,
  onPiece: () => void,
  read: ReadLine,
): Promise<Either<HistoryError, unknown>> => {
  const decoder = new TextDecoder()
  for await (const bytes of pieces) {
    onPiece()
    for (const line of decoder.decode(bytes).split('\n')) {
      const result = line === '' ? undefined : read(line)
      if (result !== undefined && isLeft(result)) return result
    }
  }
  return right(undefined)
}

const startOf = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of chunks) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length >= maxErrorLength) break
  }
  return text.slice(0, maxErrorLength)
}

const errorOf = ({ status, headers }: Response, body: string, topic: Topic | undefined): HistoryError => {
  if (topic !== undefined && status === 404 && body.startsWith(`${topic}: not in the history`))
    return unknownTopic(topic)
  const header = (name: string): string | undefined => headers.get(name) ?? undefined
  const retryAfterMs = parseRetryAfter(header('retry-after'), header('date'), rxClock.wallClock())
  return httpError(status, body, retryAfterMs)
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
