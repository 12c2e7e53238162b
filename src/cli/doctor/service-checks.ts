import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import {
  catchError,
  concatMap,
  defer,
  EMPTY,
  from,
  map,
  Observable,
  of,
  take,
  timeInterval,
  timeout,
} from 'rxjs'
import { parseHttpDate } from '../../wire/codec/http-headers.js'
import { dialedFetch } from '../../backtest/history/dialed-fetch.js'
import { formatPrice } from '../../view/texts.js'
import type { Price } from '../../base/domain/price.js'
import type { PriceError } from '../../base/errors/model.js'
import { matchError } from '../../base/errors/render.js'
import { Peer, type PeerEvent } from '../conform/peer.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { deploymentFlags, withVariable } from '../input/source-flags.js'
import { errorText, hint, serverName } from '../output/error-text.js'
import { thrownText, failed, passed, skipped, type Check, type CheckResult } from './check.js'
import type { Interface, Target } from './target.js'

const priceHttpCheck: Check = {
  name: 'price over HTTP',
  interfaces: ({ priceHttp }) => right([priceHttp]),
  run$: (usable, { client, topic, priceHttp, token: { symbol }, grouped }) =>
    defer(client.price(topic)).pipe(
      timeInterval(),
      map(({ value, interval }) => {
        if (!isLeft(value))
          return passed(`${symbol} ${grouped(formatPrice(value.right.price))} USD, ${interval} ms`)
        if (value.left._tag === 'UnsupportedPair')
          return passed(`answers in ${interval} ms; does not list ${symbol}`)
        return failed(errorText(value.left), hint(value.left, priceHttp.flag), usable)
      }),
    ),
}

/** A WebSocket that opens, a topic that the service confirms, and a ping that it answers, as `maxLag` requires. */
const priceSocketCheck: Check = {
  name: 'price WebSocket',
  interfaces: ({ priceSocket }) => right([priceSocket]),
  run$: (usable, target) =>
    target.client.price$(target.topic).pipe(
      take(1),
      timeInterval(),
      map(({ value, interval }) => socketResult(value, interval, usable, target)),
      concatMap((result) =>
        result.result === 'ok'
          ? from(pingText(target)).pipe(map((text) => passed(`${result.measured}; ${text}`)))
          : of(result),
      ),
    ),
}

const socketResult = (
  event: Either<PriceError, Price>,
  ms: number,
  usable: readonly Interface[],
  { token: { symbol }, limit, priceSocket, grouped }: Target,
): CheckResult => {
  if (isRight(event))
    return passed(`opens, ${symbol} ${grouped(formatPrice(event.right.price))} USD, ${ms} ms`)
  const fail = (advice: string) => failed(errorText(event.left), advice, usable)
  const flag = withVariable(deploymentFlags[priceSocket.flag])
  const server = serverName(priceSocket.flag)
  return matchError(event.left, {
    SubscriptionRejected: () => passed(`opens and answers in ${ms} ms; does not list ${symbol}`),
    Stale: () => passed(`opens and confirms ${symbol}; sent no price in ${limit} ms`),
    Disconnected: ({ reason }) =>
      fail(
        server === 'gateway' && reason.includes(' 503')
          ? 'The gateway runs, but accepts no connection now: its service is down, or it is full. GET /health of the gateway returns the reason.'
          : `Check that the ${server} runs, and that ${flag} gives the address of its WebSocket.`,
      ),
    SubscriptionTimeout: () => fail(`Check that ${flag} gives the address of this ${server}.`),
    DecodeError: () => fail(`Check that ${flag} gives the address of this ${server}.`),
    InvalidTopic: () => fail('Report this to the authors of svc-streams.'),
    ClientClosed: () => fail('Try again.'),
  })
}

/** Checks whether a ping is answered. Over NATS, the gateway measures the age of the prices without pings. */
const pingText = async ({ priceSocket: { url, flag }, limit }: Target): Promise<string> => {
  if (flag === 'nats') return 'the gateway measures the lag'
  // Uses a separate connection, because the client uses pings to measure the lag of its own connection.
  const peer = new Peer({ webSocket: url, limit })
  let sentAt = 0
  void peer
    .find(({ _tag }) => _tag === 'Opened', 0)
    .then((opened) => {
      sentAt = rxClock.elapsed()
      if (opened !== undefined) peer.ping(pingPayload)
    })
  try {
    const isAnswer = (event: PeerEvent) => event._tag === 'Pong' && event.payload === pingPayload
    const answer = await peer.find(isAnswer, 0)
    if (answer !== undefined) return `answers a ping in ${Math.ceil(rxClock.elapsed() - sentAt)} ms`
    return peer.closed === undefined
      ? `the ${serverName(flag)} answers no ping: maxLag has no effect`
      : `no ping, because a second connection closed: ${peer.closed.reason}`
  } finally {
    await peer.close()
  }
}

const pingPayload = 'doctor'

/** An unsigned depth request. The relayer API answers it with 401, a gateway without keys with a depth. */
const depthHttpCheck: Check = {
  name: 'depth over HTTP',
  interfaces: ({ relayer, isTestnet }) => {
    if (isTestnet) return left('testnet has no depth')
    return relayer === undefined
      ? left(`${withVariable(deploymentFlags.baseUrl)} is not set`)
      : right([relayer])
  },
  run$: (usable, { unsignedClient, relayer, token: { address } }) =>
    unsignedClient === undefined || relayer === undefined
      ? EMPTY
      : defer(unsignedClient.depth(address)).pipe(
          timeInterval(),
          map(({ value, interval }) => {
            if (isRight(value)) return passed(`answers without a signature, ${interval} ms`)
            const error = value.left
            if (error._tag === 'Unauthorized')
              return passed(`answers and requires a signature, ${interval} ms`)
            if (error._tag === 'UnsupportedPair') return passed(`answers, ${interval} ms`)
            return failed(errorText(error), hint(error, relayer.flag), usable)
          }),
        ),
}

const signatureCheck: Check = {
  name: 'signature',
  interfaces: (target) =>
    target.relayer?.flag === 'nats'
      ? left('the gateway signs')
      : target.relayer !== undefined && target.signingClient === undefined
        ? left(`${withVariable(deploymentFlags.authKey)} is not set`)
        : depthHttpCheck.interfaces(target),
  run$: (usable, { signingClient, relayer, token: { address, symbol } }) =>
    signingClient === undefined || relayer === undefined
      ? EMPTY
      : defer(signingClient.depth(address)).pipe(
          map((depth) => {
            if (isRight(depth)) return passed(`accepted, for the depth of ${symbol}`)
            if (depth.left._tag === 'UnsupportedPair') return passed('accepted')
            return failed(errorText(depth.left), hint(depth.left, relayer.flag), usable)
          }),
        ),
}

/** Half of the time for which a signature is valid. */
const maxOffset = 5000

/** A smaller offset is not measurable: the `Date` header has whole seconds, and the request takes time. */
const precision = 1000

/** The `Date` header has whole seconds. On average, it is this much behind. */
const dateDelay = 500

/** The clock of this machine, compared with the service's clock; that of the relayer API, if it answers. */
const clockCheck: Check = {
  name: 'clock',
  interfaces: ({ relayer, priceHttp }) =>
    priceHttp.flag === 'nats'
      ? left('over NATS, no clock is compared')
      : right([...(relayer === undefined ? [] : [relayer]), priceHttp]),
  run$: ([used], { limit }) =>
    used === undefined
      ? of(skipped('no interface answers'))
      : offset$(used).pipe(
          timeout(limit),
          map(clockResult),
          catchError((error: unknown) => of(skipped(thrownText(error, limit)))),
        ),
}

const clockResult = (offset: number): CheckResult => {
  if (Number.isNaN(offset)) return skipped('the service sends no Date header')
  const size = Math.abs(offset)
  if (size <= precision) return passed('within 1 s of the clock of the service')
  const difference = `this machine is ${(size / 1000).toFixed(1)} s ${offset > 0 ? 'behind' : 'ahead of'} the service`
  if (size <= maxOffset) return passed(difference)
  return failed(
    difference,
    'Set the clock of this machine, for example by NTP. The client corrects only the time of its signatures.',
    [],
  )
}

/** The service's clock minus the local clock, in ms; NaN without a `Date` header. */
const offset$ = ({ url }: Interface): Observable<number> =>
  new Observable((subscriber) => {
    const controller = new AbortController()
    const start = rxClock.wallClock()
    const response = dialedFetch(url.origin, { signal: controller.signal, redirect: 'manual' })
    const subscription = from(response).subscribe({
      next: ({ headers }) => {
        const middle = (start + rxClock.wallClock()) / 2
        subscriber.next(parseHttpDate(headers.get('date') ?? undefined) + dateDelay - middle)
        subscriber.complete()
      },
      error: (error: unknown) => subscriber.error(error),
    })
    return () => {
      subscription.unsubscribe()
      controller.abort()
    }
  })

/** The checks of prices and depth, in this order. */
export const serviceChecks = [priceHttpCheck, priceSocketCheck, depthHttpCheck, clockCheck, signatureCheck]
