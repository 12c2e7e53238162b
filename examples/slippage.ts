import { match } from 'fp-ts/lib/Either.js'
import { map, take } from 'rxjs'
import { createClient, renderError, type Depth, type DepthSide } from 'svc-streams'
import { recordedMarket, startSimulator } from 'svc-streams/simulator'

// Can an order be filled at the midpoint, and what would be left over? Its size is in ETH or in USD:
//
//   node --import tsx examples/slippage.ts 12.5
//   node --import tsx examples/slippage.ts 30000 USD
//
// A depth tells how much can be bought, and sold, at the midpoint at one moment: so much of an order has no slippage.
// It does not tell at what price the rest could be filled, for it knows no other price than the midpoint; nor does it
// keep the quantity for anybody, who may come too late by the time of one poll and one order.

const mint = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const decimals = 18 // of ETH; a token's contract knows its own, the service does not tell them
const usdDecimals = 12

const [size = '12.5', currency = 'ETH'] = process.argv.slice(2)
if (!/^\d{1,15}(\.\d{1,12})?$/.test(size) || !['ETH', 'USD'].includes(currency)) {
  console.error('Give a size in ETH or USD, such as 12.5, or 30000 USD.')
  process.exit(2)
}

// A real deployment where the environment names one, or else the simulator.
const { SVC_BASE_URL: baseUrl, SVC_PRICE_BASE_URL: priceBaseUrl, SVC_AUTH_KEY: authKey } = process.env
const real = { baseUrl, priceBaseUrl, authKey }
const market = recordedMarket({ speed: 20 })
await using simulator = baseUrl ? undefined : await startSimulator({ market })
await using client = createClient({ environment: 'mainnet', ...(simulator ?? real) })

/** A decimal as an integer of its last place: `scaled('12.5', 3)` is `12500n`. */
const scaled = (decimal: string, places: number): bigint => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(places, '0'))
}

/** The size in base-token units; from USD, rounded down to a whole one. */
const wantedAt = (price: number): bigint =>
  currency === 'ETH'
    ? scaled(size, decimals)
    : (scaled(size, usdDecimals) * 10n ** BigInt(decimals)) / scaled(price.toFixed(usdDecimals), usdDecimals)

// Intl takes a decimal as text, and so formats units without a detour over a `number`, which would lose digits.
const tokens = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 4, maximumFractionDigits: 4 })
const tenths = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 1 })
const inTokens = (units: bigint): string => tokens.format(`${units}E-${decimals}` as `${number}`)
const inPercent = (perMille: bigint): string => `${tenths.format(`${perMille}E-1` as `${number}`)} %`

const fill = (wanted: bigint, { totalQuantity }: DepthSide): readonly string[] => {
  const filled = wanted < totalQuantity ? wanted : totalQuantity
  const share = wanted === 0n ? 1000n : (filled * 1000n) / wanted // rounded down: 100 % is all of it
  return [inTokens(totalQuantity), inPercent(share), inTokens(wanted - filled)]
}

const row = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(12)).join(' ')

const describe = ({ price, buy, sell }: Depth): string => {
  const wanted = wantedAt(price)
  const midpoint = price.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return row([midpoint, ...fill(wanted, buy), ...fill(wanted, sell)])
}

console.log(`An order of ${size} ${currency} at the midpoint; all quantities in ETH\n`)
console.log(row(['PRICE, USD', 'CAN BUY', 'FILLED', 'LEFT OVER', 'CAN SELL', 'FILLED', 'LEFT OVER']))
const lines$ = client.depth$(mint, 400).pipe(map(match(renderError, describe)), take(8))
await lines$.forEach((line) => console.log(line))
