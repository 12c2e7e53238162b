import { format, resolveConfig } from 'prettier'

/** One topic of the results. */
export interface Section {
  readonly title: string
  /** What was done, in a sentence or two. */
  readonly method: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly notes?: readonly string[]
}

/** A table with its numbers, which are behind the first column, to the right. */
const renderTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string => {
  const rule = columns.map((_, column) => (column === 0 ? '---' : '--:'))
  return [columns, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export const renderSection = ({ title, method, columns, rows, notes = [] }: Section): string => {
  const list = notes.map((note) => `- ${note}`).join('\n')
  return [`## ${title}`, method, renderTable(columns, rows), ...(list === '' ? [] : [list])].join('\n\n')
}

/** As the project's formatter wants it, so that the results pass the lint as they are written. */
export const tidy = async (markdown: string, file: URL): Promise<string> => {
  const filepath = file.pathname
  return format(markdown, { ...(await resolveConfig(filepath)), filepath })
}
