/** A text in a table, and how it is shown once it has its width. */
export interface Cell {
  readonly text: string
  readonly paint?: ((text: string) => string) | undefined
}

export interface Column {
  readonly title: string
  readonly align: 'left' | 'right'
  /** Where there is no room for all, the columns with the highest number go first. */
  readonly rank: number
  /** At least this wide, so that a table that is drawn again and again stands still. */
  readonly width: number
  readonly cells: readonly Cell[]
}

const gap = '  '

/** The columns that have room in `width`, as lines: the titles, then a line a row. */
export const drawTable = (
  columns: readonly Column[],
  width: number,
  paintTitle: (text: string) => string,
): readonly string[] => {
  const shown = fitting(columns, width)
  const line = (cells: readonly Cell[]) => cells.map((cell, index) => drawCell(cell, shown[index])).join(gap)
  const titles = line(shown.map(({ title }) => ({ text: title, paint: paintTitle })))
  const rows = (shown[0]?.cells ?? []).map((_, row) =>
    line(shown.map(({ cells }) => cells[row] ?? { text: '' })),
  )
  return [titles, ...rows]
}

const fitting = (columns: readonly Column[], width: number): readonly Column[] => {
  const total = columns.reduce((sum, column) => sum + widthOf(column) + gap.length, -gap.length)
  if (total <= width || columns.length <= 1) return columns
  const last = Math.max(...columns.map(({ rank }) => rank))
  return fitting(
    columns.filter(({ rank }) => rank !== last),
    width,
  )
}

const widthOf = ({ title, width, cells }: Column): number =>
  Math.max(title.length, width, ...cells.map(({ text }) => text.length))

const drawCell = ({ text, paint = (plain) => plain }: Cell, column: Column | undefined): string => {
  if (column === undefined) return text
  const width = widthOf(column)
  return paint(column.align === 'left' ? text.padEnd(width) : text.padStart(width))
}
