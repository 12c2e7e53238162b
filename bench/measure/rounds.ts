/**
 * Measures each candidate once per round, so that other load on the machine affects all candidates alike. The order
 * rotates, so that a candidate does not always follow the same one. Returns the values of each candidate by round.
 */
export const inRounds = async <Candidate, Value>(
  rounds: number,
  candidates: readonly Candidate[],
  measure: (candidate: Candidate) => Promise<Value>,
): Promise<ReadonlyMap<Candidate, readonly Value[]>> => {
  const values = new Map(candidates.map((candidate) => [candidate, [] as Value[]]))
  for (let round = 0; round < rounds; round += 1) {
    const first = round % candidates.length
    const order = [...candidates.slice(first), ...candidates.slice(0, first)]
    for (const candidate of order) values.get(candidate)?.push(await measure(candidate))
    process.stderr.write(` ${round + 1}/${rounds}`)
  }
  process.stderr.write('\n')
  return values
}

/** One number from each value of a candidate, by round. */
export const valuesOf = <Candidate, Value>(
  measured: ReadonlyMap<Candidate, readonly Value[]>,
  candidate: Candidate,
  pick: (value: Value) => number,
): readonly number[] => {
  const values = measured.get(candidate)
  if (values === undefined) throw new Error('the candidate was not measured')
  return values.map(pick)
}
