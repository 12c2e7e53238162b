import type { ClientSnapshot, ConnectionStatus, TopicState } from 'svc-streams'
import { expectTypeOf, test } from 'vitest'

test('ClientSnapshot has the state of each topic and the last result of each poll', () => {
  expectTypeOf<ClientSnapshot['status']>().toEqualTypeOf<ConnectionStatus>()
  expectTypeOf<ClientSnapshot['topics'][number]['state']>().toEqualTypeOf<TopicState | 'lingering'>()
  expectTypeOf<TopicState>().toEqualTypeOf<'waiting' | 'live' | 'stale' | 'down' | 'rejected'>()
  expectTypeOf<ClientSnapshot['lines'][number]>().toEqualTypeOf<{
    readonly url: string
    readonly state: 'connecting' | 'open' | 'behind' | 'waiting'
    readonly isFront: boolean
    readonly lagMs: number | null
  }>()
  expectTypeOf<ClientSnapshot['polls'][number]['lastResult']>().toBeString()
})
