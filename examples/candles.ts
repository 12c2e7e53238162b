import { isLeft, match, type Either } from 'fp-ts/lib/Either.js'
import { createLogUpdate } from 'log-update'
import { fromEvent, map, scan, take, takeUntil } from 'rxjs'
import { createClient, renderError, type PriceError } from 'svc-streams'
import { candles, type Candle } from 'svc-streams/operators'
import { recordedMarket, startSimulator } from 'svc-streams/simulator'

// Candles of ten seconds of a real market, played fifty times as fast: a chart on a terminal, into a pipe a line each.

const eth = 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const chartHeight = 16 // lines

// A real deployment where the environment names one, or else the simulator.
const { SVC_PRICE_BASE_URL: priceBaseUrl, SVC_PRICE_WS_URL: priceWsUrl } = process.env
const real = { priceBaseUrl, ...(priceWsUrl && { priceWsUrl }) }
const speed = priceBaseUrl ? 1 : 50
await using simulator = priceBaseUrl ? undefined : await startSimulator({ market: recordedMarket({ speed }) })
await using client = createClient({ environment: 'mainnet', ...(simulator ?? real) })

const usd = (amount: number): string =>
  amount.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

const describe = ({ from, open, high, low, close, count }: Candle): string => {
  const clock = new Date(from).toISOString().slice(11, 23)
  const [opens, highs, lows, closes] = [open, high, low, close].map(usd)
  const range = `open ${opens}  high ${highs}  low ${lows}  close ${closes} USD`
  return `${clock}  ${range}  ${close < open ? '█ falls' : '░ rises'}  ${String(count).padStart(3)} prices`
}

interface Chart {
  readonly candles: readonly Candle[]
  readonly trouble: string
}

const extend = ({ candles }: Chart, event: Either<PriceError, Candle>): Chart =>
  isLeft(event)
    ? { candles, trouble: renderError(event.left) }
    : { candles: [...candles, event.right], trouble: '' }

/** A column a candle: a full body has fallen, a light one has risen. */
const draw = ({ candles, trouble }: Chart): string => {
  const top = Math.max(...candles.map(({ high }) => high))
  const bottom = Math.min(...candles.map(({ low }) => low))
  const step = (top - bottom) / (chartHeight - 1) || 1
  const lineOf = (price: number): number => Math.round((top - price) / step)

  const glyph = ({ open, high, low, close }: Candle, line: number): string => {
    if (line < lineOf(high) || line > lineOf(low)) return ' '
    const inBody = line >= lineOf(Math.max(open, close)) && line <= lineOf(Math.min(open, close))
    if (!inBody) return '│'
    return close < open ? '█' : '░'
  }
  const lines = Array.from({ length: candles.length === 0 ? 0 : chartHeight }, (_, line) => {
    const columns = candles.map((candle) => glyph(candle, line)).join('')
    return `${usd(top - line * step).padStart(12)} ┤ ${columns}`
  })
  return ['  ETH, USD', ...lines, `  ${trouble}`].join('\n')
}

const candles$ = client.price$(eth).pipe(
  candles(10_000 / speed),
  take(30), // one recording long
  takeUntil(fromEvent(process, 'SIGINT')),
)
if (process.stdout.isTTY && process.stdout.columns > 0) {
  const update = createLogUpdate(process.stdout)
  const charts$ = candles$.pipe(scan(extend, { candles: [], trouble: '' }), map(draw))
  await charts$.forEach((chart) => update(chart))
  update.done()
} else {
  const lines$ = candles$.pipe(map(match(renderError, describe)))
  await lines$.forEach((line) => console.log(line))
}
