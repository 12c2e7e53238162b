import { createRandom } from './prices.js'

/** Distinct bodies of depth responses. Prices have two decimals, so that their sum in cents is exact. */
export const createDepthBodies = (count: number): readonly string[] => {
  const random = createRandom(2)
  const digits = (length: number): string =>
    Array.from({ length }, () => 1 + Math.floor(random() * 9)).join('')
  const side = (): string => `{"total_quantity":${digits(19)},"total_quantity_usd":${digits(6)}.${digits(6)}}`
  return Array.from(
    { length: count },
    () =>
      `{"price":${digits(4)}.${digits(2)},"timestamp":17454625${digits(5)},"buy":${side()},"sell":${side()}}`,
  )
}

/** The price of a body, in cents. */
export const centsOf = (body: string): number =>
  Math.round((JSON.parse(body) as { readonly price: number }).price * 100)
