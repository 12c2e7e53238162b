import { assertNever } from '../../domain/assert-never.js'
import type { ConnectionStatus } from '../../domain/status.js'

export const statusText = (status: ConnectionStatus): string => {
  switch (status._tag) {
    case 'Idle':
      return 'idle'
    case 'Connecting':
      return `connecting, attempt ${status.attempt}`
    case 'Open':
      return `connected, epoch ${status.epoch}`
    case 'Waiting':
      return `down (${status.reason}), next attempt in ${status.retryInMs} ms`
    case 'Closed':
      return 'closed'
    default:
      return assertNever(status)
  }
}
