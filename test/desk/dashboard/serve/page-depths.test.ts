import { right } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import type { Depth } from 'svc-streams'
import { createTestClient, depth } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import { PageDepths } from '../../../../src/desk/dashboard/serve/page-depths.js'
import { runInVirtualTime } from '../../../support/time/virtual-time.js'
import { weth } from '../../../support/tokens.js'
import { eth } from '../support/tokens.js'

const start = (depthInterval: number | null = 1000) => {
  const depth$ = new Subject<Depth>()
  const depths = new PageDepths(createTestClient({ depths: { [weth]: depth$ } }), {
    tokens: [eth],
    depthInterval,
  })
  return { depth$, depths }
}

describe('the depths of a page', () => {
  it('are requested of the service while pages ask for them, and not longer', () => {
    const { depth$, depths } = start()
    runInVirtualTime(({ at }) => {
      expect(depth$.observed).toBe(false)
      at(0, () => expect(depths.read()).toEqual([]))
      at(1, () => depth$.next(depth(weth)))
      at(20_000, () => expect(depths.read()).toMatchObject([{ mint: weth, event: right(depth(weth)) }]))
      at(50_999, () => expect(depth$.observed).toBe(true))
      at(51_001, () => expect(depth$.observed).toBe(false))
      // A depth from before that time is no current one.
      at(60_000, () => expect(depths.read()).toEqual([]))
      at(60_001, () => expect(depth$.observed).toBe(true))
      at(60_002, () => depths.close())
      at(60_003, () => expect(depth$.observed).toBe(false))
    })
  })

  it('are none without an interval', () => {
    const { depth$, depths } = start(null)
    expect(depths.read()).toEqual([])
    expect(depth$.observed).toBe(false)
  })
})
