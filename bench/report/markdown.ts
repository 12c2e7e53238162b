import { format, resolveConfig } from 'prettier'

/** One section of the results. */
export interface Section {
  /** The measurement, in one or two sentences. */
  readonly method: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The figure of the last column that each row should reach, as a last column. */
  readonly limit?: readonly (number | string | undefined)[]
  readonly notes?: readonly string[]
}

/** All columns but the first are right-aligned. */
const renderTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string => {
  const rule = columns.map((_, column) => (column === 0 ? '---' : '--:'))
  return [columns, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export const renderSection = (title: string, { method, limit, notes = [], ...table }: Section): string => {
  const columns = limit === undefined ? table.columns : [...table.columns, 'limit']
  const rows = table.rows.map((row, index) =>
    limit === undefined ? row : [...row, String(limit[index] ?? '')],
  )
  const list = notes.map((note) => `- ${note}`).join('\n')
  return [`## ${title}`, method, renderTable(columns, rows), ...(list === '' ? [] : [list])].join('\n\n')
}

/** Formats with the project's Prettier configuration, so that the results pass the lint. */
export const formatMarkdown = async (markdown: string, file: URL): Promise<string> => {
  const filepath = file.pathname
  return format(markdown, { ...(await resolveConfig(filepath)), filepath })
}
