/** The address part of a topic, in lower case. The client treats topics with the same base as one topic. */
export type Base = string

export const baseOf = (topic: string): Base => (topic.split('-')[1] ?? '').toLowerCase()

/** Each address in a frame, in lower case. */
export const basesIn = (frame: string): readonly Base[] => frame.toLowerCase().match(/0x[0-9a-f]+/g) ?? []

/** The price in a frame, or undefined if the frame is not a valid price. */
export const parsePriceFrame = (
  frame: string,
): { readonly base: Base; readonly price: number } | undefined => {
  try {
    const value: unknown = JSON.parse(frame)
    if (typeof value !== 'object' || value === null || 'subscriptions' in value) return undefined
    const { topic, price } = value as { readonly topic?: unknown; readonly price?: unknown }
    const isTopic = typeof topic === 'string' && /^svc-0x[0-9a-fA-F]+(?:-.*)?$/.test(topic)
    const isPrice = typeof price === 'number' && Number.isFinite(price) && price > 0
    return isTopic && isPrice ? { base: baseOf(topic), price } : undefined
  } catch {
    return undefined
  }
}
