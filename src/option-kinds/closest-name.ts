/**
 * The name that `name` is probably a misspelling of, or `undefined`. Upper and lower case do not count as a difference.
 * One edit is a misspelling if one of the two names has 4 characters or more, two edits if both have 8 or more. Objects
 * with other properties may be spread into options, and their names must not match.
 */
export const closestName = (name: string, names: readonly string[]): string | undefined => {
  const candidates = names
    .map((candidate) => ({ candidate, edits: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= allowedEdits(name.length, candidate.length))
    .sort((a, b) => a.edits - b.edits)
  return candidates[0]?.candidate
}

const allowedEdits = (length: number, otherLength: number): number => {
  if (Math.min(length, otherLength) >= 8) return 2
  return Math.max(length, otherLength) >= 4 ? 1 : 0
}

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
