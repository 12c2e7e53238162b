import { NEVER } from 'rxjs'

/** The part of a feed of a service that answers no probes. */
export const unboundedFeed = {
  requestProbe: () => () => false,
  measured$: NEVER,
  isBounded: () => false,
} as const
