/** Replaces the sections of the results that have the titles of the new ones, and adds a line to the head that says so. */
export const replaceSections = (results: string, sections: readonly string[], line: string): string => {
  const [head = '', ...parts] = results.split(/^(?=## )/m)
  const byTitle = new Map(parts.map((part) => [titleOf(part), part.trim()]))
  for (const section of sections) {
    const title = titleOf(section)
    if (!byTitle.has(title)) throw new Error(`the results have no section ${title}: run the whole benchmark`)
    byTitle.set(title, section.trim())
  }
  return [`${head.trim()}\n${line}`, ...byTitle.values()].join('\n\n')
}

const titleOf = (section: string): string => section.slice(0, section.indexOf('\n'))
