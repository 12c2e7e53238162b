/** A promise, and how it is settled. Only the first value counts. */
export interface Settleable<A> {
  readonly promise: Promise<A>
  readonly settle: (value: A) => void
}

export const deferred = <A>(): Settleable<A> => {
  let settle: (value: A) => void = () => undefined
  const promise = new Promise<A>((resolve) => {
    settle = resolve
  })
  return { promise, settle }
}
