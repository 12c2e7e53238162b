import { InvalidArgumentError } from 'commander'
import { canonicalAddress, type Address } from '../../domain/address.js'
import { isEnvironment, type Environment } from '../../domain/environment.js'
import { parseTokenAddress, tokenSyntax } from './token-address.js'

// Parsers of arguments that are not numbers. Commander prepends the name of the flag to the error message.

/** Appends an address. The flag may be repeated, and may take several addresses. */
export const addresses = (text: string, previous: readonly string[] = []): readonly string[] => {
  if (/^0x[0-9a-f]+$/i.test(text)) return [...previous, text]
  throw new InvalidArgumentError('Give a contract address: 0x and hex digits.')
}

/** The address of a token that is given by its address or its topic. */
export const token = (text: string): Address => {
  const address = parseTokenAddress(text)
  if (address !== undefined) return address
  throw new InvalidArgumentError(`Give ${tokenSyntax}.`)
}

/** Appends the address of a token, unless it is already in the list. */
export const tokens = (text: string, previous: readonly Address[] = []): readonly Address[] => {
  const next = token(text)
  const isRepeated = previous.some((address) => canonicalAddress(address) === canonicalAddress(next))
  return isRepeated ? previous : [...previous, next]
}

/** An empty environment variable counts as not set. */
export const environment = (text: string): Environment => {
  if (text === '') return 'mainnet'
  if (isEnvironment(text)) return text
  throw new InvalidArgumentError('Give mainnet or testnet.')
}
