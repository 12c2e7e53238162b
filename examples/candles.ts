import { isLeft, match, type Either } from 'fp-ts/lib/Either.js'
import { createLogUpdate } from 'log-update'
import { fromEvent, map, scan, take, takeUntil } from 'rxjs'
import { createClient, renderError, type PriceError } from 'svc-streams'
import { candles, type Candle } from 'svc-streams/operators'
import { recordedMarket, startSimulator } from 'svc-streams/simulator'

// Ten-second candles of a recorded market, at fifty times its speed: a chart on a terminal, one line per candle in a pipe.

const eth = 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const chartHeight = 16 // lines

// A real deployment if the environment variables are set, otherwise the simulator.
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
  readonly error: string
}

const addEvent = ({ candles }: Chart, event: Either<PriceError, Candle>): Chart =>
  isLeft(event)
    ? { candles, error: renderError(event.left) }
    : { candles: [...candles, event.right], error: '' }

/** One column per candle. The body is solid if the price fell, and light if it rose. */
const renderChart = ({ candles, error }: Chart): string => {
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
  return ['  ETH, USD', ...lines, `  ${error}`].join('\n')
}

const candles$ = client.price$(eth).pipe(
  candles(10_000 / speed),
  take(30), // the length of the recording
  takeUntil(fromEvent(process, 'SIGINT')),
)
if (process.stdout.isTTY && process.stdout.columns > 0) {
  const redraw = createLogUpdate(process.stdout)
  const charts$ = candles$.pipe(scan(addEvent, { candles: [], error: '' }), map(renderChart))
  await charts$.forEach((chart) => redraw(chart))
  redraw.done()
} else {
  const lines$ = candles$.pipe(map(match(renderError, describe)))
  await lines$.forEach((line) => console.log(line))
}
