import type { ConnectionStatus } from '../../domain/status.js'

/** The server's connection to the service. */
export interface ServiceStatus {
  readonly isUp: boolean
  /** Why it is down; empty if it is not. */
  readonly reason: string
  /** `undefined` unless the prices of the connection may be too old, and are held. */
  readonly behind?: BehindSince | undefined
}

interface BehindSince {
  /** The upper bound of their age when that began, in ms. */
  readonly ms: number
  /** Monotonic, in ms. */
  readonly since: number
}

/** How far behind the service's prices may be, as the server sends it to the page. */
export interface Behind {
  readonly ms: number
  /** The time since that began, in ms. */
  readonly forMs: number
}

/** The status as the server sends it to the page in JSON. */
export interface ServedStatus extends Omit<ServiceStatus, 'behind'> {
  readonly behind?: Behind | undefined
  /** As in the configuration. */
  readonly pageId: string
}

/** `now`: monotonic, in ms. */
export const servedStatus = (
  { isUp, reason, behind }: ServiceStatus,
  now: number,
  pageId: string,
): ServedStatus => ({
  isUp,
  reason,
  behind: behind === undefined ? undefined : { ms: behind.ms, forMs: now - behind.since },
  pageId,
})

/** True for the status of this version. */
export const isServedStatus = (value: unknown): value is ServedStatus =>
  isRecord(value) &&
  typeof value['isUp'] === 'boolean' &&
  typeof value['reason'] === 'string' &&
  (value['behind'] === undefined || isBehind(value['behind'])) &&
  typeof value['pageId'] === 'string'

const isBehind = (value: unknown): boolean =>
  isRecord(value) && typeof value['ms'] === 'number' && typeof value['forMs'] === 'number'

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/**
 * The status after a status of the client, at a monotonic time in ms. A client that connects again keeps the reason.
 * `closedReason`: for a client that is closed, such as that of a recording at its end.
 */
export const nextServiceStatus = (
  before: ServiceStatus,
  status: ConnectionStatus,
  at: number,
  closedReason: string,
): ServiceStatus => {
  switch (status._tag) {
    case 'Waiting':
      return { isUp: false, reason: status.reason }
    case 'Closed':
      return { isUp: false, reason: closedReason }
    case 'Connecting':
      return status.attempt > 1 ? { ...before, isUp: false } : before
    case 'Idle':
      return { isUp: true, reason: '' }
    case 'Open': {
      const { behindMs: ms } = status
      const since = before.behind?.since ?? at
      return { isUp: true, reason: '', behind: ms === undefined ? undefined : { ms, since } }
    }
  }
}
