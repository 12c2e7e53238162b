import { isLeft, isRight, right, type Either } from 'fp-ts/lib/Either.js'
import { concatMap, defer, map, Observable, of, take, timeInterval, timeout } from 'rxjs'
import { clientTable } from '../../client/options.js'
import { formatPrice } from '../../display/numbers.js'
import type { Price } from '../../domain/price.js'
import type { PriceError } from '../../errors/model.js'
import { matchError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import { node } from '../../platform/node.js'
import { rxClock } from '../../time/rx-clock.js'
import { hint, serverName } from '../input/hint.js'
import { deploymentFlags, withVariable } from '../input/source-flags.js'
import { errorLine } from '../output/error-line.js'
import { failed, passed, type Check, type CheckResult } from './check.js'
import type { Interface, Target } from './target.js'

export const priceHttpCheck: Check = {
  name: 'price over HTTP',
  interfaces: ({ priceHttp }) => right([priceHttp]),
  run$: (usable, { client, topic, priceHttp, token: { symbol } }) =>
    defer(client.price(topic)).pipe(
      timeInterval(),
      map(({ value, interval }) => {
        if (!isLeft(value)) return passed(`${symbol} ${formatPrice(value.right.price)} USD, ${interval} ms`)
        if (value.left._tag === 'UnsupportedPair')
          return passed(`answers in ${interval} ms; does not list ${symbol}`)
        return failed(errorLine(value.left), hint(value.left, priceHttp.flag), usable)
      }),
    ),
}

/** A WebSocket that opens, a topic that the service confirms, and a ping that it answers, as `maxLag` requires. */
export const priceSocketCheck: Check = {
  name: 'price WebSocket',
  interfaces: ({ priceSocket }) => right([priceSocket]),
  run$: (usable, target) =>
    target.client.price$(target.topic).pipe(
      take(1),
      timeInterval(),
      map(({ value, interval }) => resultOf(value, interval, usable, target)),
      concatMap((result) =>
        result.result === 'ok'
          ? pingText$(target).pipe(map((text) => passed(`${result.measured}; ${text}`)))
          : of(result),
      ),
    ),
}

const resultOf = (
  event: Either<PriceError, Price>,
  ms: number,
  usable: readonly Interface[],
  { token: { symbol }, limit, priceSocket }: Target,
): CheckResult => {
  if (isRight(event)) return passed(`opens, ${symbol} ${formatPrice(event.right.price)} USD, ${ms} ms`)
  const fail = (advice: string) => failed(errorLine(event.left), advice, usable)
  const flag = withVariable(deploymentFlags[priceSocket.flag])
  const server = serverName(priceSocket.flag)
  return matchError(event.left, {
    SubscriptionRejected: () => passed(`opens and answers in ${ms} ms; does not list ${symbol}`),
    Stale: () => passed(`opens and confirms ${symbol}; sent no price in ${limit} ms`),
    Disconnected: () =>
      fail(`Check that the ${server} runs, and that ${flag} gives the address of its WebSocket.`),
    SubscriptionTimeout: () => fail(`Check that ${flag} gives the address of this ${server}.`),
    DecodeError: () => fail(`Check that ${flag} gives the address of this ${server}.`),
    InvalidTopic: () => fail('Report this to the authors of svc-streams.'),
    ClientClosed: () => fail('Try again.'),
  })
}

/** Whether a ping is answered. Over NATS, the gateway measures the age of the prices without pings. */
const pingText$ = ({ priceSocket: { url, flag }, limit }: Target): Observable<string> =>
  flag === 'nats'
    ? of('the gateway measures the lag')
    : pinged$(url).pipe(
        timeout({
          first: limit,
          with: () => of(`the ${serverName(flag)} answers no ping: maxLag has no effect`),
        }),
      )

const pingPayload = 'doctor'

/** Sends a ping over a connection of its own. Emits how long the answer takes, or why there is none. */
const pinged$ = (url: URL): Observable<string> =>
  new Observable((subscriber) => {
    let sentAt = 0
    const emit = (text: string): void => {
      subscriber.next(text)
      subscriber.complete()
    }
    const ignore = (): void => undefined
    const transport = node.webSocketTransport(undefined)
    const options = { maxFrameBytes: clientTable.maxFrameBytes.default }
    const socket = transport.dial(url.href, options, {
      opened: () => {
        sentAt = rxClock.elapsed()
        socket.ping?.(pingPayload)
      },
      bytes: () => true,
      text: ignore,
      binary: ignore,
      alive: ignore,
      // The client too recognises an answer by its payload.
      pong: (payload) => {
        if (payload === pingPayload) emit(`answers a ping in ${Math.ceil(rxClock.elapsed() - sentAt)} ms`)
      },
      closed: (_code, reason) => emit(`no ping, because a second connection closed: ${printable(reason)}`),
    })
    return () => {
      socket.terminate()
      void transport.close()
    }
  })
