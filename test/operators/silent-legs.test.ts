import { isLeft } from 'fp-ts/lib/Either.js'
import { map } from 'rxjs'
import { it } from 'vitest'
import { combineFresh, freshWithin } from '../../src/operators/index.js'
import { marbles } from '../support/time/marbles.js'
import { letterEvents } from './support/timeline.js'

it('combineFresh of legs with freshWithin emits a NotFresh with a Stale when all legs are silent', () => {
  marbles(({ hot$, expectObservable }) => {
    const a$ = hot$('       -a-------', letterEvents).pipe(freshWithin(5))
    const b$ = hot$('       --b------', letterEvents).pipe(freshWithin(5))
    const both$ = combineFresh({ a: a$, b: b$ }, { maxSkew: 9 }).pipe(
      map((both) => {
        if (!isLeft(both)) return 'both'
        const { why, leg } = both.left
        if (why !== 'left') return [why, leg]
        const { error } = both.left
        return [why, leg, typeof error === 'string' ? error : error._tag]
      }),
    )
    expectObservable(both$).toBe('mnb---s--', {
      m: ['missing', 'a'],
      n: ['missing', 'b'],
      b: 'both',
      s: ['left', 'a', 'Stale'],
    })
  })
})
