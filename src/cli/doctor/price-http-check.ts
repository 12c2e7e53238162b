import { isLeft, right } from 'fp-ts/lib/Either.js'
import { defer, map, timeInterval } from 'rxjs'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import { formatPrice } from '../../display/numbers.js'
import { hint } from '../input/hint.js'
import { failed, passed, type Check } from './check.js'

/** One price over HTTP. */
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
        return failed(printable(renderError(value.left)), hint(value.left, priceHttp.flag), usable)
      }),
    ),
}
