import { isLeft } from 'fp-ts/lib/Either.js'
import { expect, onTestFinished } from 'vitest'
import type {
  HttpResult,
  HttpRequest,
  HttpTransport,
  HttpTransportOptions,
} from '../../../../../src/wire/transport/ports.js'
import { importUndici } from '../../../../../src/wire/transport/undici-package.js'
import { undiciTransport } from '../../../../../src/wire/transport/undici-transport.js'
import { expectWellFormed } from '../../../../base/errors/support/well-formed.js'

const modules = await importUndici()

/** The default transport, closed after the test. */
export const transportOf = (options: Partial<HttpTransportOptions> = {}): HttpTransport => {
  const transport = undiciTransport(modules, {
    ca: undefined,
    connectTimeout: 10_000,
    ...options,
  })
  onTestFinished(() => transport.close())
  return transport
}

export const requestOf = (origin: string, rest: Partial<HttpRequest> = {}): HttpRequest => ({
  origin,
  path: '/',
  headers: {},
  maxBodyBytes: 1000,
  ...rest,
})

/** Sends a request. Returns its result, and a function that aborts it. */
export const send = (transport: HttpTransport, request: HttpRequest) => {
  let abort: () => void = () => undefined
  const result = new Promise<HttpResult>((resolve) => {
    abort = transport.get(request, resolve)
  })
  return { result, abort }
}

export const get = (origin: string, rest: Partial<HttpRequest> = {}): Promise<HttpResult> =>
  send(transportOf(), requestOf(origin, rest)).result

export const withResolvers = <T>() => {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** Expects a NetworkError. `reason` matches the code of its cause, or the name if the cause has no code. */
export const expectNetworkError = (result: HttpResult, reason: RegExp): void => {
  if (!isLeft(result) || result.left._tag !== 'NetworkError')
    return expect.unreachable(JSON.stringify(result))
  expectWellFormed(result.left)
  expect(result.left.cause.code ?? result.left.cause.name).toMatch(reason)
}
