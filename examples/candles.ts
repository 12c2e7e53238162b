import { fromEvent, map, take, takeUntil, toArray } from 'rxjs'
import { createClient, defineTokens, match, renderError } from 'svc-streams'
import { candles, rights, type Candle } from 'svc-streams/operators'
import { recordedMarket, startSimulator } from 'svc-streams/simulator'

// Ten-second candles of a recorded market, at fifty times its speed: one line per candle, and a chart at the end. The
// service drops the connection once. The candle after that shows the interruption.

const { ETH } = defineTokens({ ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 } })
const chartHeight = 16 // lines

// A real deployment if the environment variables are set, otherwise the simulator.
const { SVC_PRICE_BASE_URL: priceBaseUrl, SVC_PRICE_WS_URL: priceWsUrl } = process.env
const real = { priceBaseUrl, ...(priceWsUrl && { priceWsUrl }) }
const speed = priceBaseUrl ? 1 : 50
await using simulator = priceBaseUrl ? undefined : await startSimulator({ market: recordedMarket({ speed }) })
await using client = createClient({ environment: 'mainnet', ...(simulator ?? real) })

const usd = (amount: number): string =>
  amount.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

const describe = ({ from, open, high, low, close, count, interruptions, isCurrent }: Candle): string => {
  const clock = new Date(from).toISOString().slice(11, 23)
  const [opens, highs, lows, closes] = [open, high, low, close].map(usd)
  const range = `open ${opens}  high ${highs}  low ${lows}  close ${closes} USD`
  const gaps = interruptions === 0 ? '' : `, ${interruptions} interruptions`
  const ending = isCurrent ? '' : ', lost before its end'
  return `${clock}  ${range}  ${close < open ? '█ falls' : '░ rises'}  ${String(count).padStart(3)} prices${gaps}${ending}`
}

/** One column per candle. The body is solid if the price fell, and light if it rose. `!` marks interruptions. */
const renderChart = (candles: readonly Candle[]): string => {
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
  const marks = candles.map(({ interruptions }) => (interruptions === 0 ? ' ' : '!')).join('')
  return ['', '  ETH, USD', ...lines, `${' '.repeat(15)}${marks}`].join('\n')
}

const candles$ = client.price$(ETH.topic).pipe(
  candles(10_000 / speed),
  take(30), // about the length of the recording
  takeUntil(fromEvent(process, 'SIGINT')),
)
const printed$ = candles$.pipe(
  map((event, index) => {
    console.log(match(renderError, describe)(event))
    if (index === 9) simulator?.dropConnections()
    return event
  }),
)
const all$ = printed$.pipe(rights(), toArray())
await all$.forEach((candles) => {
  if (process.stdout.isTTY) console.log(renderChart(candles))
})
