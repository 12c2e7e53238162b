import { InvalidArgumentError } from 'commander'
import { canonicalAddress, type Address } from '../../domain/address.js'
import { isEnvironment, type Environment } from '../../domain/environment.js'
import { tokenIn, tokenInWords } from './token.js'

// What the text of an option's argument must be. The message follows commander's own words for the option.

/** A whole number within bounds. */
export const wholeNumber =
  (from: number, to: number) =>
  (text: string): number => {
    const value = Number(text)
    if (/^-?\d+$/.test(text) && value >= from && value <= to) return value
    throw new InvalidArgumentError(`Give a whole number from ${from} to ${to}.`)
  }

/** A number above 0, at most `to`. */
export const positiveNumber =
  (to: number) =>
  (text: string): number => {
    const value = positive(text)
    if (value !== undefined && value <= to) return value
    throw new InvalidArgumentError(`Give a number above 0, at most ${to}.`)
  }

/** How many times faster than it was; `max` is as fast as it can. */
export const replaySpeed = (text: string): number => {
  const value = text === 'max' ? Infinity : positive(text)
  if (value !== undefined) return value
  throw new InvalidArgumentError('Give a number above 0, or max.')
}

const positive = (text: string): number | undefined =>
  /^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0 ? Number(text) : undefined

/** One token address more: the option may be given several times, and take several at once. */
export const addresses = (text: string, before: readonly string[] = []): readonly string[] => {
  if (/^0x[0-9a-f]+$/i.test(text)) return [...before, text]
  throw new InvalidArgumentError('Give a contract address: 0x and hex digits.')
}

/** A token: its contract address, or its topic. */
export const token = (text: string): Address => {
  const address = tokenIn(text)
  if (address !== undefined) return address
  throw new InvalidArgumentError(`Give ${tokenInWords}.`)
}

/** One token more, unless it is there already. */
export const tokens = (text: string, before: readonly Address[] = []): readonly Address[] => {
  const next = token(text)
  const isThere = before.some((address) => canonicalAddress(address) === canonicalAddress(next))
  return isThere ? before : [...before, next]
}

/** The environment. An empty variable counts as one that is not set. */
export const environment = (text: string): Environment => {
  if (text === '') return 'mainnet'
  if (isEnvironment(text)) return text
  throw new InvalidArgumentError('Give mainnet or testnet.')
}
