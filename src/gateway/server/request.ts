/** The resource of a path of the service's HTTP API (section 4 of its documentation). */
export interface Resource {
  readonly kind: 'depth' | 'price'
  /** The mint of a depth, or the topic of a price. */
  readonly name: string
}

/** Paths are neither decoded nor normalised. */
const patterns = {
  depth: /^\/v0\/order_book\/depth\/([^/?]+)$/,
  price: /^\/price\/([^/?]+)$/,
} as const

/** The resource of a path without its query; `undefined` for another path. */
export const resourceOf = (path: string): Resource | undefined => {
  for (const kind of ['depth', 'price'] as const) {
    const name = patterns[kind].exec(path)?.[1]
    if (name !== undefined) return { kind, name }
  }
  return undefined
}

/** The path of a URL or of a request target, without its query. */
export const withoutQuery = (url: string): string => url.split('?')[0] ?? ''
