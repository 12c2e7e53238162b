import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FreeList } from '../../src/task/free-list.js'

describe('slots', () => {
  it('hold what was put there and not cleared, each once, in no more room than was needed at once', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(), { nil: 'put' as const }), { maxLength: 100 }), (moves) => {
        const slots = new FreeList<number>()
        const model: { readonly slot: number; readonly thing: number }[] = []
        let most = 0
        for (const [thing, move] of moves.entries()) {
          if (move === 'put') model.push({ slot: slots.add(thing), thing })
          else for (const { slot } of model.splice(move % (model.length || 1), 1)) slots.remove(slot)
          most = Math.max(most, model.length)
          expect([...slots.items()].sort()).toEqual(model.map((each) => each.thing).sort())
          for (const { slot } of model) expect(slot).toBeLessThan(most)
        }
      }),
    )
  })
})
