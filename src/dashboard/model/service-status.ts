import type { ConnectionStatus } from '../../domain/status.js'

/** The server's connection to the service. */
export interface ServiceStatus {
  readonly isUp: boolean
  /** Why it is down; empty if it is not. */
  readonly reason: string
}

/** The status as the server sends it to the page in JSON. */
export interface ServedStatus extends ServiceStatus {
  /** As in the configuration. */
  readonly pageId: string
}

/** True for the status of this version. */
export const isServedStatus = (value: unknown): value is ServedStatus =>
  typeof value === 'object' &&
  value !== null &&
  'isUp' in value &&
  typeof value.isUp === 'boolean' &&
  'reason' in value &&
  typeof value.reason === 'string' &&
  'pageId' in value &&
  typeof value.pageId === 'string'

/**
 * The status after a status of the client. A client that connects again keeps the reason. `closedReason`: for a client that
 * is closed, such as that of a recording at its end.
 */
export const nextServiceStatus = (
  before: ServiceStatus,
  status: ConnectionStatus,
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
    case 'Open':
      return { isUp: true, reason: '' }
  }
}
