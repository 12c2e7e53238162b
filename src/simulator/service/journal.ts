/** What was received, in order: the latest of it, so that a simulator may run for days. */
export interface Journal<A> {
  readonly entries: readonly A[]
  readonly add: (entry: A) => void
}

export const createJournal = <A>(limit = 10_000): Journal<A> => {
  const entries: A[] = []
  return {
    get entries() {
      return entries.slice()
    },
    add: (entry) => {
      entries.push(entry)
      if (entries.length > limit) entries.shift()
    },
  }
}
