import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, map, merge, type Observable } from 'rxjs'
import {
  createClient,
  renderError,
  type AnyError,
  type Client,
  type ClientOptions,
  type Topic,
} from 'svc-streams'
import { openHistory, type HistoryError } from 'svc-streams/history'
import type { Simulator, SimulatorOptions } from 'svc-streams/simulator'
import { describe, expect, it } from 'vitest'
import { findUnusedPort } from '../../support/network/servers.js'
import {
  chunksOf,
  header,
  priceRow,
  recordingText,
  start as startOfRecording,
} from '../../backtest/recording/support/recordings.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { startTestSimulator } from '../../support/simulator.js'

// Causes each row of the error table over a real socket, and checks its line in a log.

const token = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const topic: Topic = `svc-${token}`
const unknown = '0xdead'

const start = async (
  simulated: SimulatorOptions = {},
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; simulator: Simulator }> => {
  const simulator = await startTestSimulator({ tokens: [token], tick: 20, ...simulated })
  const client = createClient({ environment: 'mainnet', ...simulator, ...options } as Parameters<
    typeof createClient
  >[0]) as Client
  return { client: closeAfterTest(client), simulator }
}

/** The first error of the stream with this tag, as the line of a log, with placeholders for parts that vary. */
const line = async (
  events$: Observable<Either<AnyError | HistoryError, unknown>>,
  tag: string,
): Promise<string> => {
  const errors$ = events$.pipe(
    filter(isLeft),
    map(({ left }) => left),
    filter(({ _tag }) => _tag === tag),
  )
  return anonymous(renderError(await firstValueFrom(errors$)))
}

const failure = async (task: () => Promise<Either<AnyError, unknown>>): Promise<string> => {
  const result = await task()
  return isLeft(result) ? anonymous(renderError(result.left)) : 'no failure'
}

const anonymous = (text: string): string =>
  text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/in \d+ ms$/, 'in <n> ms')
    .replace(/for \d+ ms; the last price was [\d.]+/, 'for <n> ms; the last price was <price>')

describe('price$', () => {
  it('emits InvalidTopic for a malformed topic', async () => {
    const { client } = await start()
    expect(await line(client.price$('svc-82af' as Topic), 'InvalidTopic')).toMatchInlineSnapshot(
      `"InvalidTopic: expected a topic like svc-0x82af…, got "svc-82af""`,
    )
  })

  it('emits SubscriptionRejected for a topic that the service does not trade', async () => {
    const { client } = await start()
    expect(await line(client.price$(`svc-${unknown}`), 'SubscriptionRejected')).toMatchInlineSnapshot(
      `"SubscriptionRejected: svc-0xdead: rejected by the service: Invalid (exchange, base, quote) tuple: svc does not support the pair (0xdead, 0xaf88d065e77c8cc2239327c5edb3a432268e5831)"`,
    )
  })

  it('emits SubscriptionTimeout if the service does not confirm a topic', async () => {
    const { client, simulator } = await start({ tokens: [token, unknown] }, { confirmTimeout: 50 })
    await firstValueFrom(client.price$(topic))
    simulator.inject({ stall: true })
    expect(await line(client.price$(`svc-${unknown}`), 'SubscriptionTimeout')).toMatchInlineSnapshot(
      `"SubscriptionTimeout: svc-0xdead: neither confirmed nor rejected within 50 ms; subscribing again"`,
    )
  })

  it('emits Disconnected when the service closes the connection', async () => {
    const { client, simulator } = await start()
    const lines = line(client.price$(topic), 'Disconnected')
    await firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag === 'Open')))
    simulator.dropConnections(1012)
    expect(await lines).toMatchInlineSnapshot(
      `"Disconnected: connection down (1012: closed by the service); attempt 2 in <n> ms"`,
    )
  })

  it('emits Disconnected when the TCP connection is refused', async () => {
    const { client } = await start({}, { priceWsUrl: `ws://127.0.0.1:${await findUnusedPort()}` })
    expect(await line(client.price$(topic), 'Disconnected')).toMatchInlineSnapshot(
      `"Disconnected: connection down (1006: connect ECONNREFUSED 127.0.0.1:<port>); attempt 2 in <n> ms"`,
    )
  })

  it('emits Disconnected when the upgrade is rejected', async () => {
    const { client } = await start({ faults: { refuseUpgrades: 503 } })
    expect(await line(client.price$(topic), 'Disconnected')).toMatchInlineSnapshot(
      `"Disconnected: connection down (1006: Unexpected server response: 503); attempt 2 in <n> ms"`,
    )
  })

  it('emits Disconnected when a ping gets no answer', async () => {
    const { client, simulator } = await start({}, { pingInterval: 40, pongTimeout: 30 })
    const lines = line(client.price$(topic), 'Disconnected')
    await firstValueFrom(client.status$.pipe(filter(({ _tag }) => _tag === 'Open')))
    simulator.inject({ stall: true })
    expect(await lines).toMatchInlineSnapshot(
      `"Disconnected: connection down (1006: no frame within 30 ms of a ping); attempt 2 in <n> ms"`,
    )
  })

  it('emits Disconnected for an oversized frame', async () => {
    const { client } = await start({ faults: { garbage: ['oversized'] } })
    expect(await line(client.price$(topic), 'Disconnected')).toMatchInlineSnapshot(
      `"Disconnected: connection down (1009: Max payload size exceeded); attempt 2 in <n> ms"`,
    )
  })

  it('emits Stale when a topic gets no price', async () => {
    const { client, simulator } = await start({}, { staleAfter: 60 })
    const lines = line(client.price$(topic), 'Stale')
    await firstValueFrom(client.price$(topic))
    simulator.delist(token)
    expect(await lines).toMatchInlineSnapshot(
      `"Stale: svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1: no price for <n> ms; the last price was <price>"`,
    )
  })

  it('emits DecodeError for an invalid price', async () => {
    const { client } = await start({ faults: { garbage: ['wrong-price'] } })
    expect(await line(client.price$(topic), 'DecodeError')).toMatchInlineSnapshot(
      `"DecodeError: frame: price: expected a finite number above 0, got "12.5""`,
    )
  })

  it('emits ClientClosed after the client was closed', async () => {
    const { client } = await start()
    await client.close()
    expect(await line(client.price$(topic), 'ClientClosed')).toMatchInlineSnapshot(
      `"ClientClosed: the client was closed"`,
    )
  })
})

describe('errors$', () => {
  it.each(['malformed', 'no-message', 'unknown-topic', 'binary'] as const)(
    'emits UncorrelatedError for garbage of kind %s',
    async (garbage) => {
      const { client } = await start({ faults: { garbage: [garbage] } })
      const errors$ = merge(
        client.errors$,
        client.price$(topic).pipe(
          filter(() => false),
          map(() => ({}) as never),
        ),
      )
      expect(renderError(await firstValueFrom(errors$))).toMatchSnapshot()
    },
  )
})

describe('price', () => {
  it('returns InvalidTopic for a topic of another service', async () => {
    const { client } = await start()
    expect(await failure(client.price('acme-0xab'))).toMatchInlineSnapshot(
      `"InvalidTopic: expected a topic like svc-0x82af…, got "acme-0xab""`,
    )
  })

  it('returns UnsupportedPair for a token that the service does not trade', async () => {
    const { client } = await start()
    expect(await failure(client.price(`svc-${unknown}`))).toMatchInlineSnapshot(
      `"UnsupportedPair: the service does not support the pair 0xdead / 0xaf88d065e77c8cc2239327c5edb3a432268e5831"`,
    )
  })

  it('returns UnsupportedPair if the body names no addresses', async () => {
    const { client } = await start({ faults: { namelessErrors: true } })
    expect(await failure(client.price(`svc-${unknown}`))).toMatchInlineSnapshot(
      `"UnsupportedPair: the service does not support this pair: Invalid (exchange, base, quote) tuple"`,
    )
  })

  it('returns HttpError for another status', async () => {
    const { client } = await start({ faults: { httpStatus: 429, retryAfter: 3 } })
    expect(await failure(client.price(topic))).toMatchInlineSnapshot(
      `"HttpError: status 429: Too Many Requests; retry after 3000 ms"`,
    )
  })

  it('returns HttpError for a redirect, without following it', async () => {
    const { client } = await start({ faults: { redirect: 'http://127.0.0.1:1/elsewhere' } })
    expect(await failure(client.price(topic))).toMatchInlineSnapshot(`"HttpError: status 302: Found"`)
  })

  it('returns DecodeError for a body that is not a price', async () => {
    const { client } = await start({ faults: { body: 'html' } })
    expect(await failure(client.price(topic))).toMatchInlineSnapshot(
      `"DecodeError: price: expected a decimal number above 0, got "<html><body><h1>Bad gateway</h1></body></html>""`,
    )
  })

  it('returns NetworkError when the TCP connection is refused', async () => {
    const { client } = await start({}, { priceBaseUrl: `http://127.0.0.1:${await findUnusedPort()}` })
    expect(await failure(client.price(topic))).toMatchInlineSnapshot(
      `"NetworkError: no response: connect ECONNREFUSED 127.0.0.1:<port>"`,
    )
  })

  it('returns Timeout if no response arrives', async () => {
    const { client } = await start({ faults: { stall: true } }, { requestTimeout: 50 })
    expect(await failure(client.price(topic))).toMatchInlineSnapshot(
      `"Timeout: no complete response within <n> ms"`,
    )
  })

  it('returns ClientClosed after the client was closed', async () => {
    const { client } = await start()
    await client.close()
    expect(await failure(client.price(topic))).toMatchInlineSnapshot(`"ClientClosed: the client was closed"`)
  })
})

describe('depth and depth$', () => {
  it('report InvalidMint for a malformed address', async () => {
    const { client } = await start()
    expect(await line(client.depth$('82af' as '0x', 1000), 'InvalidMint')).toMatchInlineSnapshot(
      `"InvalidMint: expected a token address like 0x82af…, got "82af""`,
    )
  })

  it('report InvalidInterval for an interval of 0', async () => {
    const { client } = await start()
    expect(await line(client.depth$(token, 0), 'InvalidInterval')).toMatchInlineSnapshot(
      `"InvalidInterval: expected a finite interval of at least 1 ms, got 0"`,
    )
  })

  it('report UnsupportedPair for a token that the service does not trade', async () => {
    const { client } = await start()
    expect(await line(client.depth$(unknown, 1000), 'UnsupportedPair')).toMatchInlineSnapshot(
      `"UnsupportedPair: the service does not support the pair 0xdead / 0xaf88d065e77c8cc2239327c5edb3a432268e5831"`,
    )
  })

  it('report Unauthorized for a wrong key', async () => {
    const { client } = await start({}, { authKey: 'b3RoZXIga2V5' })
    expect(await failure(client.depth(token))).toMatchInlineSnapshot(
      `"Unauthorized: the service rejected the signature (401: Unauthorized); check the auth key"`,
    )
  })

  it('report DecodeError for a truncated body', async () => {
    const { client } = await start({ faults: { body: 'truncated' } })
    expect(await failure(client.depth(token))).toContain('DecodeError: depth: expected JSON, got ')
  })

  it('report DecodeError for an oversized body', async () => {
    const { client } = await start({ faults: { body: 'oversized' } })
    expect(await failure(client.depth(token))).toMatchInlineSnapshot(
      `"DecodeError: body: expected at most 1048576 bytes, got more"`,
    )
  })

  it('report HttpError for another status', async () => {
    const { client } = await start({ faults: { httpStatus: 503 } })
    expect(await failure(client.depth(token))).toMatchInlineSnapshot(
      `"HttpError: status 503: Service Unavailable"`,
    )
  })

  it('report NetworkError when the connection is closed during the response', async () => {
    const { client } = await start({ faults: { body: 'cut-off' } })
    expect(await failure(client.depth(token))).toMatchInlineSnapshot(
      `"NetworkError: no response: other side closed"`,
    )
  })

  it('report Timeout if no response arrives', async () => {
    const { client } = await start({ faults: { stall: true } }, { requestTimeout: 50 })
    expect(await failure(client.depth(token))).toMatchInlineSnapshot(
      `"Timeout: no complete response within <n> ms"`,
    )
  })

  it('report ClientClosed for a request in flight', async () => {
    const { client } = await start({ faults: { stall: true } })
    const late = failure(client.depth(token))
    await client.close()
    expect(await late).toMatchInlineSnapshot(`"ClientClosed: the client was closed"`)
  })
})

describe('the prices of a history', () => {
  const whole = recordingText(header, priceRow(0, 1))
  const history = openHistory([chunksOf(whole, '{"_tag":"Price"\n')])
  const range = { from: startOfRecording, to: startOfRecording + 1000 }

  it('report InvalidTopic for a malformed topic', async () => {
    expect(await line(history.prices$('svc-ab' as Topic, range), 'InvalidTopic')).toMatchInlineSnapshot(
      `"InvalidTopic: expected a topic like svc-0x82af…, got "svc-ab""`,
    )
  })

  it('report InvalidRange for a time in seconds', async () => {
    const seconds = { ...range, from: 1_700_000_000 }
    expect(await line(history.prices$('svc-0xab', seconds), 'InvalidRange')).toMatchInlineSnapshot(
      `"InvalidRange: from: expected a time in ms since the Unix epoch, got 1700000000, which looks like seconds"`,
    )
  })

  it('report UnknownTopic for a topic that was not recorded', async () => {
    expect(
      await line(openHistory([chunksOf(whole)]).prices$('svc-0xdead', range), 'UnknownTopic'),
    ).toMatchInlineSnapshot(`"UnknownTopic: svc-0xdead: not in the history; topics() lists those that are"`)
  })

  it('report RecordingError for a damaged line', async () => {
    expect(await line(history.prices$('svc-0xab', range), 'RecordingError')).toMatchInlineSnapshot(
      `"RecordingError: line 3 of source 1: expected JSON, got Expected ',' or '}' after property value in JSON at position 15"`,
    )
  })
})
