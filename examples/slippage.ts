import { map, take } from 'rxjs'
import {
  createClient,
  defineTokens,
  formatQuantity,
  isLeft,
  match,
  parseQuantity,
  renderError,
} from 'svc-streams'
import type { Depth, DepthSide } from 'svc-streams'
import { recordedMarket, startSimulator } from 'svc-streams/simulator'

// How much of an order the depth can fill at the midpoint, and what remains. The size is in ETH or in USD:
//
//   node --import tsx examples/slippage.ts 12.5
//   node --import tsx examples/slippage.ts 30000 USD
//
// A depth contains the quantities that can be bought and sold at the midpoint at one time. That part of an order has no
// slippage. A depth contains no other price, so the price of the rest is unknown. It does not reserve the quantity:
// another order may take it before yours arrives.

// The decimals are defined by the token's contract, and are not part of the service's data.
const { ETH } = defineTokens({ ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 } })
const usdDecimals = 12

const [size = '12.5', currency = 'ETH'] = process.argv.slice(2)
const parsedSize = parseQuantity(size, currency === 'ETH' ? ETH.decimals : usdDecimals)
if (isLeft(parsedSize) || !['ETH', 'USD'].includes(currency)) {
  console.error('Give a size in ETH or USD, such as 12.5, or 30000 USD.')
  process.exit(2)
}

// A real deployment if the environment variables are set, otherwise the simulator.
const { SVC_BASE_URL: baseUrl, SVC_PRICE_BASE_URL: priceBaseUrl, SVC_AUTH_KEY: authKey } = process.env
const real = { baseUrl, priceBaseUrl, authKey }
const market = recordedMarket({ speed: 20 })
await using simulator = baseUrl ? undefined : await startSimulator({ market })
await using client = createClient({ environment: 'mainnet', ...(simulator ?? real) })

/** An amount in USD as an integer, in units of 1e-12 USD. */
const usdUnits = (amount: number): bigint => BigInt(amount.toFixed(usdDecimals).replace('.', ''))

/** The size of the order in base-token units, rounded down. */
const orderSizeAt = (price: number): bigint =>
  currency === 'ETH' ? parsedSize.right : (parsedSize.right * 10n ** BigInt(ETH.decimals)) / usdUnits(price)

// Intl formats a decimal string exactly. A `number` would lose digits.
const tokens = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 4, maximumFractionDigits: 4 })
const tenths = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 1 })
const inTokens = (units: bigint): string => tokens.format(formatQuantity(units, ETH.decimals) as `${number}`)
const inPercent = (perMille: bigint): string => `${tenths.format(`${perMille}E-1` as `${number}`)} %`

const fill = (ordered: bigint, { totalQuantity }: DepthSide): readonly string[] => {
  const filled = ordered < totalQuantity ? ordered : totalQuantity
  const share = ordered === 0n ? 1000n : (filled * 1000n) / ordered // rounded down: 100 % means completely filled
  return [inTokens(totalQuantity), inPercent(share), inTokens(ordered - filled)]
}

const row = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(12)).join(' ')

const describe = ({ price, buy, sell }: Depth): string => {
  const ordered = orderSizeAt(price)
  const midpoint = price.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return row([midpoint, ...fill(ordered, buy), ...fill(ordered, sell)])
}

console.log(`An order of ${size} ${currency} at the midpoint; all quantities in ETH\n`)
console.log(row(['PRICE, USD', 'CAN BUY', 'FILLED', 'LEFT OVER', 'CAN SELL', 'FILLED', 'LEFT OVER']))
const lines$ = client.depth$(ETH.address, 400).pipe(map(match(renderError, describe)), take(8))
await lines$.forEach((line) => console.log(line))
