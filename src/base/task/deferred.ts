export interface Deferred<A> {
  readonly promise: Promise<A>
  readonly resolve: (value: A) => void
}

export const deferred = <A>(): Deferred<A> => {
  let resolve: (value: A) => void = () => undefined
  const promise = new Promise<A>((resolvePromise) => {
    resolve = resolvePromise
  })
  return { promise, resolve }
}
