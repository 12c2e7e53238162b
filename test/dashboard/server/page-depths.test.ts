import { left, right } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import type { Depth } from 'svc-streams'
import type { DepthRow } from 'svc-streams/recording'
import { createTestClient, depth } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { pageDepth$ } from '../../../src/dashboard/server/page-depths.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { weth } from '../../support/tokens.js'
import { eth } from '../support/tokens.js'

const start = (depthInterval: number | null = 1000) => {
  const depth$ = new Subject<Depth>()
  const client = createTestClient({ depths: { [weth]: depth$ } })
  const rows$ = pageDepth$(client, { tokens: [eth], depthInterval })
  /** A page: what it has received, and how it leaves. */
  const open = () => {
    const rows: DepthRow[] = []
    const page = rows$.subscribe((row) => rows.push(row))
    return { rows, leave: () => page.unsubscribe() }
  }
  return { depth$, open }
}

describe('the depths of a page', () => {
  it('are requested of the service while there is a page, once for all, and not longer', () => {
    const { depth$, open } = start()
    expect(depth$.observed).toBe(false)
    runInVirtualTime(({ at }) => {
      const first = open()
      at(1, () => depth$.next(depth(weth)))
      const late: ReturnType<typeof open>[] = []
      at(2, () => late.push(open()))
      at(3, () => {
        for (const { rows } of [first, ...late])
          expect(rows).toMatchObject([{ mint: weth, event: right(depth(weth)) }])
        first.leave()
        late[0]?.leave()
      })
      at(5_002, () => expect(depth$.observed).toBe(true))
      at(5_004, () => expect(depth$.observed).toBe(false))
      // A depth from before that time is no current one.
      at(6_000, () => expect(open().rows).toEqual([]))
    })
  })

  it('are no longer current after the end of their stream', () => {
    const { depth$, open } = start()
    runInVirtualTime(({ at }) => {
      const { rows } = open()
      at(1, () => depth$.next(depth(weth)))
      at(2, () => depth$.complete())
      const closed = { mint: weth, event: left({ _tag: 'ClientClosed' }) }
      at(3, () => expect([rows.at(-1), ...open().rows]).toMatchObject([closed, closed]))
    })
  })

  it('keep the rejection that ended their stream', () => {
    const client = createTestClient({ depths: {} })
    const rows: DepthRow[] = []
    pageDepth$(client, { tokens: [eth], depthInterval: 1000 }).subscribe((row) => rows.push(row))
    expect(rows).toMatchObject([{ mint: weth, event: left({ _tag: 'UnsupportedPair' }) }])
  })

  it('are none without an interval', () => {
    const { depth$, open } = start(null)
    expect(open().rows).toEqual([])
    expect(depth$.observed).toBe(false)
  })
})
