import { isAddress, type Address } from '../../domain/address.js'
import { defaultService } from '../../domain/topic.js'

export const tokenSyntax = 'a contract address, 0x and hex digits, or a topic, svc-0x and hex digits'

/** The arguments of commands, in the help. */
export const tokenHelp = 'symbol, contract address, 0x…, or topic, svc-0x…'
export const tokensHelp = 'symbols, contract addresses, 0x…, or topics, svc-0x…'

/** The address in an address or a topic; `undefined` for any other text. */
export const parseTokenAddress = (text: string): Address | undefined => {
  const prefix = `${defaultService}-`
  const address = text.startsWith(prefix) ? text.slice(prefix.length) : text
  return isAddress(address) ? address : undefined
}
