import { left, right } from 'fp-ts/lib/Either.js'
import { NEVER, Subject, take } from 'rxjs'
import type { Depth } from 'svc-streams'
import type { DepthRow } from 'svc-streams/recording'
import { createTestClient, depth } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { pageDepths$ } from '../../../src/dashboard/server/page-depths.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { weth } from '../../support/tokens.js'
import { eth } from '../support/tokens.js'

const start = (depthInterval: number | null = 1000) => {
  const depth$ = new Subject<Depth>()
  const closed$ = new Subject<void>()
  const client = createTestClient({ depths: { [weth]: depth$ } })
  const depths$ = pageDepths$(client, { tokens: [eth], depthInterval }, closed$)
  /** As a request of a page. */
  const read = (): readonly DepthRow[] | undefined => {
    let rows: readonly DepthRow[] | undefined
    depths$.pipe(take(1)).subscribe((next) => (rows = next))
    return rows
  }
  return { depth$, closed$, read }
}

describe('the depths of a page', () => {
  it('are requested of the service while pages ask for them, and not longer', () => {
    const { depth$, closed$, read } = start()
    runInVirtualTime(({ at }) => {
      expect(depth$.observed).toBe(false)
      at(0, () => expect(read()).toEqual([]))
      at(1, () => depth$.next(depth(weth)))
      at(20_000, () => expect(read()).toMatchObject([{ mint: weth, event: right(depth(weth)) }]))
      at(50_999, () => expect(depth$.observed).toBe(true))
      at(51_001, () => expect(depth$.observed).toBe(false))
      // A depth from before that time is no current one.
      at(60_000, () => expect(read()).toEqual([]))
      at(60_001, () => expect(depth$.observed).toBe(true))
      at(60_002, () => closed$.next())
      at(60_003, () => expect(depth$.observed).toBe(false))
      at(60_004, () => expect(read()).toEqual([]))
      at(60_005, () => expect(depth$.observed).toBe(false))
    })
  })

  it('are no longer current after the end of their stream', () => {
    const { depth$, read } = start()
    runInVirtualTime(({ at }) => {
      at(0, () => expect(read()).toEqual([]))
      at(1, () => depth$.next(depth(weth)))
      at(2, () => depth$.complete())
      at(3, () => expect(read()).toMatchObject([{ mint: weth, event: left({ _tag: 'ClientClosed' }) }]))
    })
  })

  it('keep the rejection that ended their stream', () => {
    const client = createTestClient({ depths: {} })
    const depths$ = pageDepths$(client, { tokens: [eth], depthInterval: 1000 }, NEVER)
    let rows: readonly DepthRow[] = []
    depths$.subscribe((next) => (rows = next)).unsubscribe()
    expect(rows).toMatchObject([{ mint: weth, event: left({ _tag: 'UnsupportedPair' }) }])
  })

  it('are none without an interval', () => {
    const { depth$, read } = start(null)
    expect(read()).toEqual([])
    expect(depth$.observed).toBe(false)
  })
})
