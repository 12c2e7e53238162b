import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import {
  createClient,
  renderError,
  type AnyError,
  type Client,
  type DepthClientOptions,
  type DiagnosticMessages,
} from 'svc-streams'
import { describe, expect, it, onTestFinished } from 'vitest'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { startScriptedService, type ServiceConnection } from '../support/network/scripted-service.js'
import { startHttpServer } from '../support/network/servers.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'

/** A key whose base64 contains both `+` and `/`. */
const authKey = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index * 7)).toString('base64')
const urlKey = 'q8vZ0Jr3mTtW5yB1cN7xKdLgHs'
const apiKey = 'sk_7Hq-2fVn9XbPzR4wLc8TmYd'
const tenantKey = 'kQ3~jU8!pZ0 rE5$tA7(vB9)nM2'

const base64Of = (secret: string): string => Buffer.from(secret).toString('base64').replace(/=+$/, '')

/** The forms of a secret, as a service may send them. */
const formsOf = (secret: string): readonly string[] => [
  secret,
  secret.toUpperCase(),
  secret.replaceAll('+', '-').replaceAll('/', '_'),
  encodeURIComponent(secret),
  base64Of(secret),
  base64Of(secret).replaceAll('+', '-').replaceAll('/', '_'),
]

/** The characters of a form that must not appear, even where a text is cut off inside it. */
const startLength = 16

const startsOf = (text: string): readonly string[] =>
  Array.from({ length: Math.max(0, text.length - startLength + 1) }, (_, start) =>
    text.slice(start, start + startLength),
  )

/** Looks each piece of the text up: to search a long text for each of thousands of forms is slow. */
const expectNone = (text: string, secrets: readonly string[]): void => {
  const forms = secrets.flatMap(formsOf).map((form) => form.toLowerCase().slice(0, startLength))
  const secretStarts = new Set(forms)
  const found = startsOf(text.toLowerCase()).find((start) => secretStarts.has(start))
  if (found !== undefined)
    expect.fail(
      `${found} is the start of a secret, in: ${text.slice(Math.max(0, text.toLowerCase().indexOf(found) - 200)).slice(0, 400)}`,
    )
}

/** A value in each form that a log can show. */
const shown = (value: unknown): string =>
  [
    inspect(value, { depth: Infinity, showHidden: true, getters: true, maxStringLength: null }),
    JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each)),
  ].join('\n')

const clientAt = (origin: string, options: Partial<DepthClientOptions> = {}): Client =>
  closeAfterTest(
    createClient({
      environment: 'mainnet',
      baseUrl: `${origin}/?token=${urlKey}`,
      priceBaseUrl: `${origin}/?key=${urlKey}`,
      authKey,
      headers: { authorization: `Bearer ${apiKey}`, 'x-svc-tenant': tenantKey },
      reconnect: { initialDelay: 1, maxDelay: 1 },
      ...options,
    }),
  )

const channels: readonly (keyof DiagnosticMessages)[] = [
  'svc-streams:connected',
  'svc-streams:disconnected',
  'svc-streams:subscribed',
  'svc-streams:rejected',
  'svc-streams:unanswered',
  'svc-streams:decode-error',
  'svc-streams:uncorrelated',
  'svc-streams:poll',
  'svc-streams:request',
]

/** All messages of the diagnostics channels during the test. */
const collectMessages = (): readonly unknown[] => {
  const messages: unknown[] = []
  const listener = (message: unknown): unknown => messages.push(message)
  for (const name of channels) subscribe(name, listener)
  onTestFinished(() => channels.forEach((name) => void unsubscribe(name, listener)))
  return messages
}

const logged = (errors: readonly AnyError[]): string => shown([errors, errors.map(renderError)])

const side = '{"total_quantity":1,"total_quantity_usd":1}'

describe('no form of a secret', () => {
  it.each<[string, (response: ServerResponse, piece: string, headers: IncomingHttpHeaders) => void]>([
    ['the body of a 401', (response, piece) => response.writeHead(401).end(`bad signature ${piece}`)],
    ['the body of a 500', (response, piece) => response.writeHead(500).end(`{"error":"${piece}"}`)],
    ['all headers', (response, piece, headers) => response.writeHead(500).end(inspect({ headers, piece }))],
    ['a body that is not JSON', (response, piece) => response.end(piece)],
    ['a field', (response, piece) => response.end(`{"price":"${piece}","buy":${side},"sell":${side}}`)],
    ['a field name', (response, piece) => response.end(`{"${piece}":1}`)],
    ['a body that is cut at 2 kB', (response, piece) => response.writeHead(500).end(piece.padStart(2060))],
    ['a body above maxBodyBytes', (response, piece) => response.end(piece.padStart(2060).padEnd(9000))],
    [
      'headers',
      (response, piece) =>
        response
          .writeHead(503, { 'retry-after': piece.replace(/[^\w]/g, ''), location: encodeURI(piece) })
          .end(),
    ],
    [
      'a status line',
      ({ socket }, piece) => socket?.end(`HTTP/1.1 500 ${piece}\r\ncontent-length: 0\r\n\r\n`),
    ],
    ['a response that is not HTTP', ({ socket }, piece) => socket?.end(`${piece}\r\n\r\n`)],
  ])('is in an error of a response that repeats secrets in %s', async (_where, respond) => {
    const secrets = [authKey, urlKey, apiKey, tenantKey]
    let count = 0
    const origin = await startHttpServer(({ headers }, response) => {
      const signature = headers['x-svc-auth']
      if (typeof signature === 'string') secrets.push(signature)
      const forms = secrets.flatMap(formsOf)
      respond(response, forms[count++ % forms.length] ?? '', headers)
    })
    const messages = collectMessages()
    const client = clientAt(origin, { maxBodyBytes: 4096 })
    const depth = collectEvents(client.depth$(weth, 1))
    await eventually(() => expect(depth.events.length).toBeGreaterThan(60))
    const prices: AnyError[] = []
    while (prices.length < 18) {
      const price = await client.price(ethTopic)()
      if (isLeft(price)) prices.push(price.left)
    }
    const errors = depth.events.filter(isLeft).map((event) => event.left)
    expect(errors.length).toBe(depth.events.length)
    expect(messages.length).toBeGreaterThan(60)
    expectNone(logged([...errors, ...prices]), secrets)
    expectNone(shown([messages, client, client.inspect()]), secrets)
  })

  it('is in an event of a WebSocket service that repeats secrets', async () => {
    const secrets = [authKey, urlKey, apiKey, tenantKey]
    const send = (connection: ServiceConnection, topic: string): void => {
      for (const piece of secrets.flatMap(formsOf)) {
        const text = JSON.stringify(piece)
        connection.send(`Error: ${piece}`)
        connection.send(piece.padStart(2060))
        connection.send(`{"topic":"${topic}","price":${text}}`)
        connection.send(`{"topic":${text},"price":1}`)
        connection.send(`{"subscriptions":[${text}]}`)
        connection.send(Buffer.from(piece))
      }
      connection.send(`Error: no ${topic} for ${authKey}`)
      connection.tcpSocket.end()
    }
    const service = await startScriptedService({
      onSubscribe: send,
      onUpgrade: (dial, tcpSocket) => {
        if (dial > 1) tcpSocket.end(`HTTP/1.1 401 ${authKey}\r\n\r\n`)
        return dial > 1
      },
    })
    const messages = collectMessages()
    const client = clientAt('http://127.0.0.1:1', { priceWsUrl: `${service.url}/?key=${urlKey}` })
    const [uncorrelated, statuses]: unknown[][] = [[], []]
    client.errors$.subscribe((error) => uncorrelated?.push(error, renderError(error)))
    client.status$.subscribe((status) => statuses?.push(status))
    const eth = collectEvents(client.price$(ethTopic))
    const other = collectEvents(client.price$('svc-0xab'))
    await eventually(() => other.tags().length > 2 && eth.tags().includes('SubscriptionRejected'))
    expect(uncorrelated?.length).toBeGreaterThan(50)
    expectNone(shown([uncorrelated, statuses, messages, eth.events, other.events]), secrets)
    expectNone(shown([client, client.inspect(), client.status$, client.errors$, client.price$]), secrets)
  })

  it('is in an error of a call with a secret as its argument', async () => {
    const client = clientAt('http://127.0.0.1:1')
    for (const secret of [authKey, `0x${authKey}`, `/?key=${urlKey}`, Symbol(authKey), apiKey]) {
      const argument = secret as never
      const events: readonly Either<AnyError, unknown>[] = [
        await client.depth(argument)(),
        await client.price(argument)(),
        ...collectEvents(client.depth$(argument, 1)).events,
        ...collectEvents(client.depth$(weth, argument)).events,
        ...collectEvents(client.price$(argument)).events,
      ]
      const errors = events.filter(isLeft).map((event) => event.left)
      expect(errors.map(({ _tag }) => _tag)).toEqual([
        'InvalidMint',
        'InvalidTopic',
        'InvalidMint',
        'InvalidInterval',
        'InvalidTopic',
      ])
      expectNone(logged(errors), [authKey, urlKey, apiKey, tenantKey])
    }
  })

  it('is in an error of a transport that throws or returns the request', async () => {
    const secrets = [authKey, urlKey, apiKey, tenantKey]
    let count = 0
    const client = clientAt('http://127.0.0.1:1', {
      http: {
        get: (request, onResult) => {
          const { 'x-svc-auth': signature = '' } = request.headers
          secrets.push(signature)
          const cause = Object.assign(new TypeError(inspect(request)), { request, code: signature })
          const thrown = new Error(`${signature} of ${request.path}`, { cause })
          thrown.name = signature
          if (count++ % 2 === 0) throw thrown
          onResult(left({ _tag: 'NetworkError', message: thrown.message, cause: thrown as never }))
          return () => undefined
        },
        close: () => Promise.resolve(),
      },
      webSocket: {
        dial: (url) => {
          throw new SyntaxError(`Invalid URL: ${url}`)
        },
        close: () => Promise.resolve(),
      },
      canonicalHeaders: (pairs) => {
        if (count > 6) throw new Error(`${inspect(pairs)} ${authKey}`)
        return ''
      },
    })
    const events: Either<AnyError, unknown>[] = [
      ...(await Promise.all([client.price(ethTopic)(), client.price(ethTopic)()])),
      ...(await Promise.all(Array.from({ length: 12 }, () => client.depth(weth)()))),
    ]
    const eth = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(eth.events.length).toBeGreaterThan(2))
    events.push(...eth.events)
    const errors = events.filter(isLeft).map((event) => event.left)
    expect(errors.length).toBe(events.length)
    expectNone(logged(errors), secrets)
    expectNone(shown([client, client.inspect()]), secrets)
  })
})
