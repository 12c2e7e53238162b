/** An event of a `ClientDriver`, in short: the number of a price or depth, or the tag of an error or status. */
export const shortEvent = (event: unknown): unknown => {
  if (typeof event !== 'object' || event === null) return event
  const { _tag, left, right } = event as {
    readonly _tag?: string
    readonly left?: { readonly _tag: string }
    readonly right?: { readonly price: number }
  }
  return right?.price ?? left?._tag ?? _tag
}
