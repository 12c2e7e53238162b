import { figureHtml } from '../../view/page/figure.js'
import { figureText } from '../../view/figure-texts.js'
import { escapeHtml, formatQuantity, shortTime } from '../../view/format.js'
import { renderPage, table, type Column } from '../../view/page/page.js'
import type { CurvePoint } from '../../backtest/results/run-fold.js'

export interface SweepRow {
  /** Its fields, or itself as `parameter`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The numbers of its last value. */
  readonly figures: Readonly<Record<string, number>>
  /** Of an account. */
  readonly curve: readonly CurvePoint[]
  /** Why it has no result. */
  readonly failure: string | undefined
}

export interface SweepPage {
  readonly title: string
  /** The number by which the parameters are compared; undefined if no result has a number. */
  readonly metric: string | undefined
  /** Paragraphs of plain text. */
  readonly notes: readonly string[]
  readonly command: string
}

const [mostCurves, mostMaps] = [5, 6]

/** The page of a sweep as one HTML text that loads nothing. `rows`: the best first. */
export const renderSweep = (
  rows: readonly SweepRow[],
  { title, metric, notes, command }: SweepPage,
): string => {
  const count = `${formatQuantity(rows.length)} ${rows.length === 1 ? 'parameter' : 'parameters'}`
  const failed = rows.filter(({ failure }) => failure !== undefined).length
  const failures = failed === 0 ? '' : `, ${formatQuantity(failed)} of them without a result`
  const order = metric === undefined ? '' : `, the highest first: ${escapeHtml(figureText(metric).title)}`
  const texts = notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('\n')
  return renderPage(
    title,
    `<p class="range">${periodOf(rows)}${count}${failures}${order}</p>`,
    `<section><h2>Conditions</h2>\n${texts}</section>
${metric === undefined ? '' : maps(rows, metric)}
${curves(rows)}
${results(rows)}`,
    command,
  )
}

const periodOf = (rows: readonly SweepRow[]): string => {
  const times = rows.flatMap(({ curve }) => [curve[0]?.at ?? [], curve.at(-1)?.at ?? []].flat())
  return times.length === 0
    ? ''
    : `${shortTime(Math.min(...times))} to ${shortTime(Math.max(...times))} UTC, `
}

/** The first accounts on one chart: the highest number of a metric may be the worst one, as that of a drawdown. */
const curves = (rows: readonly SweepRow[]): string => {
  const [first, ...others] = rows.filter(({ curve }) => curve.length > 1).slice(0, mostCurves)
  if (first === undefined) return ''
  const dataOf = ({ curve }: SweepRow) => ({
    times: curve.map(({ at }) => at),
    values: curve.map(({ equityUsd }) => equityUsd),
  })
  return figureHtml({
    title: others.length === 0 ? 'Equity, USD' : `Equity, USD, of the first ${others.length + 1}`,
    name: nameOf(first),
    data: dataOf(first),
    others: others.map((row) => ({ name: nameOf(row), data: dataOf(row) })),
  })
}

const nameOf = ({ fields }: SweepRow): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(', ')

const results = (rows: readonly SweepRow[]): string => {
  const namesOf = (part: 'fields' | 'figures') => [...new Set(rows.flatMap((row) => Object.keys(row[part])))]
  const hasFailures = rows.some(({ failure }) => failure !== undefined)
  return table<SweepRow>(
    'Results',
    [
      ...namesOf('fields').map((name): Column<SweepRow> => [name, ({ fields }) => textOf(fields[name])]),
      ...namesOf('figures').map((name): Column<SweepRow> => {
        const { title, meaning, format } = figureText(name)
        return [
          title,
          ({ figures: { [name]: value } }) => (value === undefined ? '' : format(value)),
          meaning,
        ]
      }),
      ...(hasFailures ? [['Failure', ({ failure }) => failure ?? ''] satisfies Column<SweepRow>] : []),
    ],
    rows,
  )
}

/** A map of each two fields of the parameters that differ, or of the only one. */
const maps = (rows: readonly SweepRow[], metric: string): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.fields)))]
  const varied = names.filter((name) => valuesOf(rows, name).length > 1)
  const pairs = varied.flatMap((first, index) => varied.slice(index + 1).map((second) => [first, second]))
  return (varied.length === 1 ? [varied] : pairs)
    .slice(0, mostMaps)
    .map((fields) => heatMap(rows, fields, metric, varied.length > fields.length))
    .join('\n')
}

/** The values of the first field down, those of the second one across. `isBest`: a cell is of several parameters. */
const heatMap = (
  rows: readonly SweepRow[],
  fields: readonly string[],
  metric: string,
  isBest: boolean,
): string => {
  const { title: name, format } = figureText(metric)
  const [down = '', across] = fields
  const columns: readonly (readonly [title: string, ...value: unknown[]])[] =
    across === undefined ? [[name]] : valuesOf(rows, across).map((top) => [textOf(top), top])
  const best = highestBy(rows, metric, fields)
  if (best.size === 0) return ''
  const [low, high] = [Math.min(...best.values()), Math.max(...best.values())]
  const isSigned = low < 0 && high > 0
  const shade = (value: number): number => {
    const share = isSigned ? Math.abs(value) / Math.max(-low, high) : (value - low) / (high - low || 1)
    return Math.round(mostShade * share)
  }
  const cell = (value: number | undefined): string =>
    value === undefined
      ? '<td>–</td>'
      : `<td${value === high ? ' class="best"' : isSigned && value < 0 ? ' class="minus"' : ''} style="--shade:${shade(value)}%">${format(value)}</td>`
  const title = escapeHtml(
    across === undefined ? `${name} by ${down}` : `${name}: ${down} down, ${across} across`,
  )
  const texts = [
    ...(isBest ? ['A cell has the highest of the parameters with its two values.'] : []),
    `The lowest is ${format(low)}, the highest, outlined, is ${format(high)}.`,
    ...(isSigned ? ['Cells below 0 have a colour of their own.'] : []),
  ]
  const lines = valuesOf(rows, down).map((left) => {
    const cells = columns.map(([, ...top]) => cell(best.get(keyOf([left, ...top]))))
    return `<tr><th scope="row">${escapeHtml(textOf(left))}</th>${cells.join('')}</tr>`
  })
  return `<h2>${title}</h2>
<div class="table" role="region" aria-label="${title}" tabindex="0"><table class="map">
<thead><tr><th>${escapeHtml(fields.join(' / '))}</th>${columns.map(([top]) => `<th scope="col">${escapeHtml(top)}</th>`).join('')}</tr></thead>
<tbody>
${lines.join('\n')}
</tbody></table></div>
<p class="note">${texts.join(' ')}</p>`
}

/** Texts stay legible on the cell with the most colour, in %. */
const mostShade = 40

/** The values of a field, numbers in their order. */
const valuesOf = (rows: readonly SweepRow[], field: string): readonly unknown[] => {
  const byText = new Map(rows.map(({ fields }) => [textOf(fields[field]), fields[field]]))
  const values = [...byText.values()]
  return values.every((value) => typeof value === 'number') ? values.sort((a, b) => a - b) : values
}

/** The highest figure of the rows with each combination of values of some fields. */
const highestBy = (
  rows: readonly SweepRow[],
  metric: string,
  names: readonly string[],
): ReadonlyMap<string, number> => {
  const highest = new Map<string, number>()
  for (const { fields, figures } of rows) {
    const figure = figures[metric]
    if (figure === undefined) continue
    const key = keyOf(names.map((name) => fields[name]))
    highest.set(key, Math.max(highest.get(key) ?? -Infinity, figure))
  }
  return highest
}

const keyOf = (values: readonly unknown[]): string => JSON.stringify(values.map(textOf))

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
