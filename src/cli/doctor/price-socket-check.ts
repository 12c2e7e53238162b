import { isRight, right, type Either } from 'fp-ts/lib/Either.js'
import { map, take, timeInterval } from 'rxjs'
import type { Price } from '../../domain/price.js'
import type { PriceError } from '../../errors/model.js'
import { matchError, renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import { formatPrice } from '../../number-format/usd.js'
import { deploymentFlags, withVariable } from '../input/deployment-flags.js'
import { serverName } from '../input/hint.js'
import { failed, passed, type Check, type CheckResult } from './check.js'
import type { Interface, Target } from './target.js'

/** A WebSocket that opens, and a topic that the service confirms. */
export const priceSocketCheck: Check = {
  name: 'price WebSocket',
  interfaces: ({ priceSocket }) => right([priceSocket]),
  run$: (usable, target) =>
    target.client.price$(target.topic).pipe(
      take(1),
      timeInterval(),
      map(({ value, interval }) => resultOf(value, interval, usable, target)),
    ),
}

const resultOf = (
  event: Either<PriceError, Price>,
  ms: number,
  usable: readonly Interface[],
  { token: { symbol }, limit, priceSocket }: Target,
): CheckResult => {
  if (isRight(event)) return passed(`opens, ${symbol} ${formatPrice(event.right.price)} USD, ${ms} ms`)
  const fail = (advice: string) => failed(printable(renderError(event.left)), advice, usable)
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
