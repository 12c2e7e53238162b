import type { PageConfig, PageToken } from '../../../src/dashboard/model/page-config.js'
import { wbtc, weth } from '../../support/tokens.js'

export const eth: PageToken = { address: weth, symbol: 'ETH', decimals: 18 }
export const btc: PageToken = { address: wbtc, symbol: 'BTC', decimals: 8 }

export const config: PageConfig = {
  service: 'svc',
  environment: 'mainnet',
  source: 'simulator',
  tokens: [eth, btc],
  depthInterval: 1000,
  staleAfter: 30_000,
}
