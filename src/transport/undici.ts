import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Agent, type Dispatcher } from 'undici'
import { decodeError, networkError } from '../errors/constructors.js'
import type { DecodeError } from '../errors/model.js'
import type { HttpTransport } from './transport.js'

export interface UndiciOptions {
  /** PEM certificates to trust; default: Node's own. */
  readonly ca: string | undefined
  /** The longest time for TCP and TLS to connect, in ms. */
  readonly connectTimeout: number
}

/** Connections to one origin at the most: many polls at once, and yet no descriptor famine. */
const connections = 256

/** HTTP by `undici`. Deadlines come from the caller's signal, so undici's own are off. */
export const undiciTransport = ({ ca, connectTimeout }: UndiciOptions): HttpTransport => {
  const agent = new Agent({
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeout, ...(ca === undefined ? {} : { ca }) },
  })

  return {
    async get({ origin, path, headers, maxBodyBytes, signal }) {
      try {
        const response = await agent.request({ origin, path, headers, signal, method: 'GET' })
        const body = await readBody(response.body, maxBodyBytes)
        return isLeft(body)
          ? body
          : right({ status: response.statusCode, headers: firstOfEach(response.headers), body: body.right })
      } catch (thrown) {
        return left(networkError(thrown))
      }
    },
    close: () => agent.destroy(),
  }
}

const readBody = async (
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<Either<DecodeError, string>> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop destroys the body: a peer that streams for ever is not read any further.
    if (size > maxBytes) return left(tooLong(Buffer.concat(chunks).toString(), maxBytes))
  }
  return right(Buffer.concat(chunks).toString())
}

const tooLong = (text: string, maxBytes: number): DecodeError =>
  decodeError('body', text, [{ path: '', expected: `at most ${maxBytes} bytes`, actual: 'more' }])

const firstOfEach = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )
