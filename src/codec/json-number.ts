/** A number as JSON writes it, as the source of a regular expression. */
export const jsonNumber = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`
