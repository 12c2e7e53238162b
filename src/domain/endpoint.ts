/** The parts of a base URL. A request path is built from them once, so that the signed path is the path that is sent. */
export interface Endpoint {
  /** Scheme, host and port. */
  readonly origin: string
  /** The base URL's path, without a trailing slash; usually empty. */
  readonly prefix: string
  /** The query of every request, including the `?`; usually empty. */
  readonly query: string
}

export const endpointOf = (url: URL): Endpoint => ({
  origin: url.origin,
  prefix: url.pathname.replace(/\/+$/, ''),
  query: url.search,
})

/** The path of a resource as it is sent. `resource`: a path of the service's documentation. */
export const requestPath = (endpoint: Endpoint, resource: string): string =>
  `${endpoint.prefix}${resource}${endpoint.query}`
