import { Option } from 'commander'

/** The flag of a file that names tokens. */
export const tokensFlag = (): Option =>
  new Option('--tokens <file>', 'symbols, as JSON: { SYMBOL: { address, decimals } }')
