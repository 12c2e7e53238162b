/**
 * Measures each candidate once in each round, so that what the machine does meanwhile meets all alike. The order
 * rotates: nobody is always the one behind the same neighbour. Gives each candidate's values by round.
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

/** One number of each value of one candidate. */
export const valuesOf = <Candidate, Value>(
  measured: ReadonlyMap<Candidate, readonly Value[]>,
  candidate: Candidate,
  pick: (value: Value) => number,
): readonly number[] => {
  const values = measured.get(candidate)
  if (values === undefined) throw new Error('it was not measured')
  return values.map(pick)
}
