import { InvalidArgumentError } from 'commander'
import { isEnvironment, type Environment } from '../../domain/environment.js'

// Parsers of arguments that are not numbers. Commander prepends the name of the flag to the error message.

/** Appends an address. The flag may be repeated, and may take several addresses. */
export const addresses = (text: string, previous: readonly string[] = []): readonly string[] => {
  if (/^0x[0-9a-f]+$/i.test(text)) return [...previous, text]
  throw new InvalidArgumentError('Give a contract address: 0x and hex digits.')
}

/** Appends a file. The flag may be repeated. */
export const files = (path: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  path,
]

/** An empty environment variable counts as not set. */
export const environment = (text: string): Environment => {
  if (text === '') return 'mainnet'
  if (isEnvironment(text)) return text
  throw new InvalidArgumentError('Give mainnet or testnet.')
}
