/** A token's contract address: `0x` and one or more hex digits. Case is not significant. */
export type Address = `0x${string}`

const pattern = /^0x[0-9a-fA-F]+$/

/**
 * True for `0x` and one or more hex digits, and false for any other value. Makes a `string` an argument of `depth$`.
 *
 * @example
 * ['0x82aF', '82aF'].filter(isAddress) // [ '0x82aF' ]
 */
export const isAddress = (text: unknown): text is Address => typeof text === 'string' && pattern.test(text)

/** The form in which addresses are compared. */
export const canonicalAddress = (address: Address): Address => address.toLowerCase() as Address
