import { assertNever } from '../../domain/assert-never.js'
import type { ConnectionStatus, Open } from '../../domain/status.js'
import { behindText } from '../../errors/text.js'

export const statusText = (status: ConnectionStatus): string => {
  switch (status._tag) {
    case 'Idle':
      return 'idle'
    case 'Connecting':
      return `connecting, attempt ${status.attempt}`
    case 'Open':
      return openText(status)
    case 'Waiting':
      return `down (${status.reason}), next attempt in ${status.retryInMs} ms`
    case 'Closed':
      return 'closed'
    default:
      return assertNever(status)
  }
}

const openText = ({ epoch, behindMs }: Open): string =>
  behindMs === undefined ? `connected, epoch ${epoch}` : `connected, epoch ${epoch}, ${behindText(behindMs)}`
