import type { ConnectionStatus } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('ConnectionStatus is a closed union', () => {
  expectTypeOf<ConnectionStatus>().toEqualTypeOf<
    | { readonly _tag: 'Idle' }
    | { readonly _tag: 'Connecting'; readonly attempt: number }
    | {
        readonly _tag: 'Open'
        readonly epoch: number
        readonly since: number
        readonly behindMs?: number
        readonly switches?: number
      }
    | {
        readonly _tag: 'Waiting'
        readonly attempt: number
        readonly retryInMs: number
        readonly reason: string
      }
    | { readonly _tag: 'Closed' }
  >()
})

test('a switch over all tags of ConnectionStatus is exhaustive', () => {
  const show = (status: ConnectionStatus): string => {
    switch (status._tag) {
      case 'Idle':
      case 'Closed':
        return status._tag
      case 'Open':
        return `epoch ${status.epoch}`
      case 'Connecting':
        return `attempt ${status.attempt}`
      case 'Waiting':
        return `in ${status.retryInMs} ms: ${status.reason}`
    }
  }
  expectTypeOf(show).returns.toBeString()
})
