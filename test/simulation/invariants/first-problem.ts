/** The problem that the first of these rules finds; `undefined` if none finds one. */
export const firstProblem = <Subject extends readonly unknown[]>(
  rules: readonly ((...subject: Subject) => string | undefined)[],
  ...subject: Subject
): string | undefined => {
  for (const rule of rules) {
    const problem = rule(...subject)
    if (problem !== undefined) return problem
  }
  return undefined
}
