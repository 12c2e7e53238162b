import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { assertNever } from '../../domain/assert-never.js'
import type { ConnectionStatus } from '../../domain/status.js'
import type { PriceError } from '../../errors/model.js'
import type { Row } from '../../recording/format/row.js'

/** What a streaming command has received so far, as far as its exit code depends on it. */
export interface Received {
  readonly hasPrice: boolean
  readonly lastPriceError: PriceError | undefined
  readonly status: ConnectionStatus
  /** The number of depths and depth errors. */
  readonly depthEvents: number
  /** How many of them are `Unauthorized`. */
  readonly rejectedSignatures: number
}

export const nothingReceived: Received = {
  hasPrice: false,
  lastPriceError: undefined,
  status: { _tag: 'Idle' },
  depthEvents: 0,
  rejectedSignatures: 0,
}

/** Adds an event. */
export const receive = (received: Received, row: Row): Received => {
  switch (row._tag) {
    case 'Price':
      return isRight(row.event)
        ? { ...received, hasPrice: true }
        : { ...received, lastPriceError: row.event.left }
    case 'Depth': {
      const isRejected = isLeft(row.event) && row.event.left._tag === 'Unauthorized'
      return {
        ...received,
        depthEvents: received.depthEvents + 1,
        rejectedSignatures: received.rejectedSignatures + (isRejected ? 1 : 0),
      }
    }
    case 'Status':
      return { ...received, status: row.status }
    case 'Uncorrelated':
    case 'End':
      return received
    default:
      return assertNever(row)
  }
}

/** True if the service has answered each depth request, and rejected each signature. */
export const isKeyRejected = ({ depthEvents, rejectedSignatures }: Received): boolean =>
  depthEvents > 0 && rejectedSignatures === depthEvents
