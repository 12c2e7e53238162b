import { isRight, type Either } from 'fp-ts/lib/Either.js'
import {
  catchError,
  defer,
  firstValueFrom,
  map,
  of,
  timeInterval,
  timeout,
  type Observable,
  type TimeInterval,
} from 'rxjs'
import { dialedFetch } from '../../backtest/history/dialed-fetch.js'
import { defaultService } from '../../base/domain/topic.js'
import type { Price } from '../../base/domain/price.js'
import type { DepthError, PriceError, PriceRequestError } from '../../base/errors/model.js'
import { escapeUnsafe } from '../../base/errors/text.js'
import { rxClock } from '../../base/time/clock.js'
import { eth } from '../../simulator/market/token-options.js'
import { formatPrice } from '../../view/texts.js'
import { parseHttpDate } from '../../wire/codec/http-headers.js'
import { withSource, type OpenSource } from '../target/open-source.js'
import { serviceFlags, withVariable, type DeploymentFlagName } from '../target/source-flags.js'
import type { Io } from '../io.js'
import { addressHint, errorText, hint } from '../render/error-text.js'
import { coloursFor, numberFormat, outputJson } from '../render/terminal.js'
import { defineCommand } from './shared/parts.js'
import { timerOption } from '../../base/option-kinds/number-option.js'
import { numberFlag, toggle } from '../target/parse-flags.js'

const examples = `
Examples:
  $ npx svc-streams doctor
      Check the service that the environment variables configure.
  $ npx svc-streams doctor --simulate --json | jq -r 'select(.result == "failed").advice'
      Print what to do, for programs.

The checks are: price over HTTP, the first event of live prices, depth, clock and signature. Each prints one line: its name,
ok, failed or skipped, and what was measured or what to do. No line contains a key.

Exit codes: 0 if no check failed, 1 otherwise.`

export const createCommand = defineCommand({
  examples,
  flags: {
    timeout: numberFlag('--timeout <ms>', 'limit of each check, in ms', timerOption({ default: 15_000 })),
    json: toggle('--json', 'print each result as a JSON object, one per line'),
    ...serviceFlags,
  },
  action: (io, command, { json = false, timeout: limit, authKey = '' }) =>
    withSource(command, 'both', async (source) => {
      const results: CheckResult[] = []
      const print = (check: string, result: CheckResult): void => {
        results.push(result)
        io.stdout.write(`${json ? outputJson({ check, ...result }) : resultLine(io, check, result)}\n`)
      }
      const { client, depthClient, serverFlag } = source
      const grouped = numberFormat(json ? {} : io.stdout)
      const priceText = ({ price }: Price) => `${symbol} ${grouped(formatPrice(price))} USD`
      const noPrice = `answers; does not list ${symbol}`
      const price = await within(limit, defer(client.price(topic)))
      print('price over HTTP', resultOf(price, limit, serverFlag ?? 'priceBaseUrl', priceText, noPrice))
      const event = await within(limit, client.price$(topic))
      print('first event', resultOf(event, limit, serverFlag ?? 'priceWsUrl', priceText, noPrice))
      const flag = serverFlag ?? 'baseUrl'
      const noDepth = depthClient === undefined ? skipped(noDepthText) : undefined
      const depth = depthClient && (await within(limit, defer(depthClient.depth(address))))
      print('depth', noDepth ?? resultOf(depth, limit, flag, () => `depth of ${symbol}`, 'answers'))
      print('clock', await checkClock(source, limit))
      const unsigned = skipped(`${withVariable('authKey')} is not set`)
      const signature =
        serverFlag === 'gateway' && authKey === '' ? unsigned : signatureResult(depth?.value, flag)
      print('signature', serverFlag === 'nats' ? skipped('the gateway signs') : (noDepth ?? signature))
      const failures = results.filter(({ result }) => result === 'failed').length
      if (failures > 0) throw new Error(`${failures} of ${results.length} checks failed`)
    }),
})

/** The result of a check, and its texts. None contains a secret. */
type CheckResult =
  | { readonly result: 'ok'; readonly measured: string }
  | { readonly result: 'skipped'; readonly reason: string }
  | { readonly result: 'failed'; readonly problem: string; readonly advice: string }

const ok = (measured: string): CheckResult => ({ result: 'ok', measured })

const skipped = (reason: string): CheckResult => ({ result: 'skipped', reason })

const failed = (problem: string, advice: string): CheckResult => ({ result: 'failed', problem, advice })

const resultLine = (io: Io, check: string, { result, ...texts }: CheckResult): string => {
  const colours = coloursFor(io.stdout, io.env)
  const paint = { ok: colours.live, failed: colours.failed, skipped: colours.dim }[result]
  const text = escapeUnsafe(Object.values(texts).join('. '))
  return [check.padEnd(15), paint(result.padEnd(7)), text].join('  ')
}

/** The token that is requested. The service need not list it. */
const { symbol, address } = eth
const topic = `${defaultService}-${address}` as const

/** The first value, and the time until it in ms; `undefined` after the limit. */
const within = <A>(limit: number, value$: Observable<A>): Promise<TimeInterval<A> | undefined> =>
  firstValueFrom(
    value$.pipe(timeInterval<A>(), timeout({ first: limit, with: () => of<undefined>(undefined) })),
  )

type CheckedError = PriceError | PriceRequestError | DepthError

/** `text`: of a value. `answers`: of an answer without one. */
const resultOf = <A>(
  response: TimeInterval<Either<CheckedError, A>> | undefined,
  limit: number,
  flag: DeploymentFlagName,
  text: (value: A) => string,
  answers: string,
): CheckResult => {
  if (response === undefined) return failed(`no answer in ${limit} ms`, addressHint(flag))
  const { value, interval } = response
  if (isRight(value)) return ok(`${text(value.right)}, ${interval} ms`)
  return answering.has(value.left._tag)
    ? ok(`${answers}, ${interval} ms`)
    : failed(errorText(value.left), hint(value.left, flag))
}

const answering: ReadonlySet<string> = new Set(['SubscriptionRejected', 'UnsupportedPair', 'Unauthorized'])

const noDepthText = `needs ${withVariable('baseUrl')} and ${withVariable('authKey')}, on mainnet`

const signatureResult = (
  depth: Either<DepthError, unknown> | undefined,
  flag: DeploymentFlagName,
): CheckResult => {
  if (depth !== undefined && (isRight(depth) || depth.left._tag === 'UnsupportedPair')) return ok('accepted')
  return depth?.left._tag === 'Unauthorized'
    ? failed(errorText(depth.left), hint(depth.left, flag))
    : skipped('depth failed')
}

/** Half of the time for which a signature is valid, in ms. */
const maxOffset = 5000

/** In ms. A smaller offset is not measurable: the `Date` header has whole seconds, and the request takes time. */
const precision = 1000

/** The `Date` header has whole seconds: on average, it is this much behind, in ms. */
const dateDelay = 500

const checkClock = async ({ httpOrigin, serverFlag }: OpenSource, limit: number): Promise<CheckResult> => {
  const server = serverFlag ?? 'service'
  if (httpOrigin === undefined) return skipped('over NATS, no clock is compared')
  const controller = new AbortController()
  const date$ = defer(() => dialedFetch(httpOrigin, { signal: controller.signal, redirect: 'manual' })).pipe(
    map(({ headers }) => parseHttpDate(headers.get('date') ?? undefined)),
    catchError(() => of(undefined)),
  )
  const { value: date, interval = 0 } = (await within(limit, date$)) ?? {}
  controller.abort()
  if (date === undefined) return skipped('no answer')
  if (Number.isNaN(date)) return skipped(`the ${server} sends no Date header`)
  const offset = date + dateDelay - (rxClock.wallClock() - interval / 2)
  const size = Math.abs(offset)
  if (size <= precision) return ok(`within 1 s of the clock of the ${server}`)
  const difference = `this machine is ${(size / 1000).toFixed(1)} s ${offset > 0 ? 'behind' : 'ahead of'} the ${server}`
  const advice =
    'Set the clock of this machine, for example by NTP. The client corrects only the time of its signatures.'
  return size <= maxOffset ? ok(difference) : failed(difference, advice)
}
