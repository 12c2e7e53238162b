/** The sections of the results, by title. */
export type Sections = ReadonlyMap<string, string>

/**
 * Replaces the sections of these titles, or adds them at the place that `order` gives them, and adds a line to the head. `order`: the
 * titles of all tables. A section of no table is removed.
 */
export const replaceSections = (
  results: string,
  sections: Sections,
  order: readonly string[],
  line: string,
): string => {
  const [head = '', ...parts] = results.split(/^## /m)
  const present = parts.map((part) => [titleOf(part), `## ${part.trim()}`] as const)
  const byTitle: Sections = new Map([...present, ...sections])
  return [`${head.trim()}\n${line}`, ...order.flatMap((title) => byTitle.get(title) ?? [])].join('\n\n')
}

const titleOf = (section: string): string => section.slice(0, section.indexOf('\n'))
