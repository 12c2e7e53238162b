import { isAddress, type Address } from '../../domain/address.js'
import { defaultService } from '../../domain/topic.js'

export const tokenInWords = 'a contract address, 0x and hex digits, or a topic, svc-0x and hex digits'

/** The address of a token that is given by its address or by its topic; `undefined` where the text is neither. */
export const tokenIn = (text: string): Address | undefined => {
  const prefix = `${defaultService}-`
  const address = text.startsWith(prefix) ? text.slice(prefix.length) : text
  return isAddress(address) ? address : undefined
}
