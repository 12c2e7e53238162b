/**
 * The name that `name` is probably a misspelling of, or `undefined`. Upper and lower case do not count as a
 * difference. A name of 5 to 7 characters may differ by one edit, a longer one by two, a shorter one by none: objects
 * with other properties may be spread into options, and their names must not match.
 */
export const closestName = (name: string, names: readonly string[]): string | undefined => {
  const candidates = names
    .map((candidate) => ({ candidate, edits: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= allowedEdits(Math.min(name.length, candidate.length)))
    .sort((a, b) => a.edits - b.edits)
  return candidates[0]?.candidate
}

const allowedEdits = (length: number): number => (length < 5 ? 0 : length < 8 ? 1 : 2)

/** The number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
const editDistance = (a: string, b: string): number => {
  let beforePrevious: readonly number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const isSwap = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swapped = isSwap ? at(beforePrevious, column - 2) + 1 : Infinity
      current.push(Math.min(at(previous, column) + 1, at(current, column - 1) + 1, replaced, swapped))
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, b.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity
