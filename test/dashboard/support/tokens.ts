import type { PageConfig } from '../../../src/view/served.js'
import type { DisplayToken } from '../../../src/view/token-state.js'
import { wbtc, weth } from '../../support/tokens.js'

export const eth: DisplayToken = { address: weth, symbol: 'ETH', decimals: 18 }
export const btc: DisplayToken = { address: wbtc, symbol: 'BTC', decimals: 8 }

export const config: PageConfig = {
  service: 'svc',
  environment: 'mainnet',
  source: 'simulator',
  label: 'SIMULATED',
  tokens: [eth, btc],
  depthInterval: 1000,
  staleAfter: 30_000,
}
