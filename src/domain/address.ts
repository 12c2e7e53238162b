/** A token's contract address: `0x` and one or more hex digits. Case is not significant. */
export type Address = `0x${string}`

const pattern = /^0x[0-9a-fA-F]+$/

export const isAddress = (text: unknown): text is Address => typeof text === 'string' && pattern.test(text)

/** The form in which addresses are compared. */
export const canonicalAddress = (address: Address): Address => address.toLowerCase() as Address
