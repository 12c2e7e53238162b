/** A base address, split so that a path below it can be sent, and signed, exactly as it stands. */
export interface Endpoint {
  /** Scheme, host and port. */
  readonly origin: string
  /** The path before what the service documents, without a trailing slash; empty for most. */
  readonly prefix: string
  /** The query that every request carries, with its `?`; empty for most. */
  readonly query: string
}

export const endpointOf = (url: URL): Endpoint => ({
  origin: url.origin,
  prefix: url.pathname.replace(/\/+$/, ''),
  query: url.search,
})

/** The path of a documented resource as it is sent. */
export const requestPath = (endpoint: Endpoint, resource: string): string =>
  `${endpoint.prefix}${resource}${endpoint.query}`
