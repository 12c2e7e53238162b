import type { Observer, Subscriber } from 'rxjs'
import { enterContext, type RxContext } from '../../time/rx-context.js'

/** Notifies a subscriber in another context. `enter`: makes that active, and returns the context that was active before. */
export const observerIn = <A>(subscriber: Subscriber<A>, enter: () => RxContext): Observer<A> => ({
  next: (value) => {
    const before = enter()
    try {
      subscriber.next(value)
    } finally {
      enterContext(before)
    }
  },
  error: (thrown) => {
    const before = enter()
    try {
      subscriber.error(thrown)
    } finally {
      enterContext(before)
    }
  },
  complete: () => {
    const before = enter()
    try {
      subscriber.complete()
    } finally {
      enterContext(before)
    }
  },
})
