import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FreeList } from '../../src/task/free-list.js'

describe('FreeList', () => {
  it('holds each added item until it is removed, in no more slots than items were held at once', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(), { nil: 'add' as const }), { maxLength: 100 }), (steps) => {
        const list = new FreeList<number>()
        const model: { readonly slot: number; readonly item: number }[] = []
        let mostItems = 0
        for (const [item, step] of steps.entries()) {
          if (step === 'add') model.push({ slot: list.add(item), item })
          else for (const { slot } of model.splice(step % (model.length || 1), 1)) list.remove(slot)
          mostItems = Math.max(mostItems, model.length)
          expect([...list.items()].sort()).toEqual(model.map((entry) => entry.item).sort())
          for (const { slot } of model) expect(slot).toBeLessThan(mostItems)
        }
      }),
    )
  })
})
