import { valueTicks } from './axis.js'
import { chartHtml, noLayers, timeLabels, valueLabels, widestOf } from './chart-html.js'
import { rangeOf, round } from './chart-data.js'
import { scaleOf } from './chart.js'
import { chartSize, figureHtml } from './figure.js'
import { escapeHtml, formatFigure, formatQuantity } from './format.js'
import { renderPage, table, type Column } from './page.js'
import type { CurvePoint } from './run-fold.js'

/** The result of one parameter. */
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

/** The number of curves, and of maps. */
const [mostCurves, mostMaps] = [5, 6]

/** The page of a sweep as one HTML text that loads nothing. `rows`: the best first. */
export const renderSweep = (
  rows: readonly SweepRow[],
  { title, metric, notes, command }: SweepPage,
): string => {
  const count = `${formatQuantity(rows.length)} ${rows.length === 1 ? 'parameter' : 'parameters'}`
  const order = metric === undefined ? '' : `, the highest ${escapeHtml(metric)} first`
  const texts = notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('\n')
  return renderPage(
    title,
    `<p class="range">${count}${order}</p>`,
    `<section><h2>Conditions</h2>\n${texts}</section>
${metric === undefined ? '' : maps(rows, metric)}
${curves(rows)}
${results(rows)}`,
    command,
  )
}

/** The best accounts on one chart. */
const curves = (rows: readonly SweepRow[]): string => {
  const [best, ...others] = rows.filter(({ curve }) => curve.length > 1).slice(0, mostCurves)
  if (best === undefined) return ''
  const dataOf = ({ curve }: SweepRow) => ({
    times: curve.map(({ at }) => at),
    values: curve.map(({ equityUsd }) => equityUsd),
  })
  return figureHtml({
    title: `Equity, USD: ${nameOf(best)}`,
    data: dataOf(best),
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
      ...namesOf('figures').map((name): Column<SweepRow> => [
        name,
        ({ figures }) => textOfFigure(name, figures[name]),
      ]),
      ...(hasFailures ? [['failure', ({ failure }) => failure ?? ''] satisfies Column<SweepRow>] : []),
    ],
    rows,
  )
}

/** A dot plot if one field of the parameters differs; otherwise a heat map of each two. */
const maps = (rows: readonly SweepRow[], metric: string): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.fields)))]
  const varied = names.filter((name) => valuesOf(rows, name).length > 1)
  const [only, ...others] = varied
  if (only === undefined) return ''
  if (others.length === 0) return dotPlot(rows, only, metric)
  const pairs = varied.flatMap((first, index) =>
    varied.slice(index + 1).map((second) => [first, second] as const),
  )
  return pairs
    .slice(0, mostMaps)
    .map(([first, second]) => heatMap(rows, first, second, metric))
    .join('\n')
}

const heatMap = (rows: readonly SweepRow[], down: string, across: string, metric: string): string => {
  const [lefts, tops] = [valuesOf(rows, down), valuesOf(rows, across)]
  const best = (left: unknown, top: unknown): number | undefined =>
    highest(
      rows.filter(({ fields }) => same(fields[down], left) && same(fields[across], top)),
      metric,
    )
  const values = lefts.map((left) => tops.map((top) => best(left, top)))
  const all = values.flat().filter((value) => value !== undefined)
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const shade = (value: number): number => Math.round((mostShade * (value - low)) / (high - low || 1))
  const cell = (value: number | undefined): string =>
    value === undefined
      ? '<td>–</td>'
      : `<td${value === high ? ' class="best"' : ''} style="--shade:${shade(value)}%">${formatFigure(metric, value)}</td>`
  const title = escapeHtml(`${metric}: ${down} down, ${across} across`)
  return `<h2>${title}</h2>
<div class="table" role="region" aria-label="${title}" tabindex="0"><table class="map">
<thead><tr><td></td>${tops.map((top) => `<th scope="col">${escapeHtml(textOf(top))}</th>`).join('')}</tr></thead>
<tbody>
${lefts.map((left, index) => `<tr><th scope="row">${escapeHtml(textOf(left))}</th>${(values[index] ?? []).map(cell).join('')}</tr>`).join('\n')}
</tbody></table></div>
<p class="note">The highest of the parameters with these two values. The outlined cell is the highest of all.</p>`
}

/** Texts stay legible on the cell with the most colour, in %. */
const mostShade = 40

const dotPlot = (rows: readonly SweepRow[], field: string, metric: string): string => {
  const values = valuesOf(rows, field)
  const dots = values.flatMap((value, index) => {
    const figure = highest(
      rows.filter(({ fields }) => same(fields[field], value)),
      metric,
    )
    return figure === undefined ? [] : [{ share: (index + 0.5) / values.length, figure }]
  })
  if (dots.length === 0) return ''
  const { from, to } = scaleOf(rangeOf(dots.map(({ figure }) => figure)) ?? { from: 0, to: 0 })
  const height = (value: number): number => (to - value) / (to - from)
  const ticks = valueTicks(from, to, 6)
  const every = Math.ceil(values.length / 12)
  const names = values.flatMap((value, index) =>
    index % every === 0 ? [{ value: (index + 0.5) / values.length, label: textOf(value) }] : [],
  )
  const layers = {
    ...noLayers,
    none: '',
    grid: ticks
      .map(({ value }) => `M0,${round(height(value) * chartSize.height)}H${chartSize.width}`)
      .join(''),
    dots: dots
      .map(
        ({ share, figure }) =>
          `M${round(share * chartSize.width)},${round(height(figure) * chartSize.height)}h0`,
      )
      .join(''),
    values: valueLabels(ticks, height),
    times: timeLabels(names, (share) => share),
    widest: widestOf(ticks.map(({ label }) => label)),
  }
  const title = `${metric} by ${field}`
  return `<figure>\n<figcaption>${escapeHtml(title)}</figcaption>\n${chartHtml(title, chartSize, layers)}\n<p class="note">The values of ${escapeHtml(field)} are at equal distances.</p>\n</figure>`
}

/** The values of a field, numbers in their order. */
const valuesOf = (rows: readonly SweepRow[], field: string): readonly unknown[] => {
  const byText = new Map(rows.map(({ fields }) => [textOf(fields[field]), fields[field]]))
  const values = [...byText.values()]
  return values.every((value) => typeof value === 'number') ? values.sort((a, b) => a - b) : values
}

const highest = (rows: readonly SweepRow[], metric: string): number | undefined => {
  const figures = rows.flatMap(({ figures: own }) => own[metric] ?? [])
  return figures.length === 0 ? undefined : Math.max(...figures)
}

const same = (a: unknown, b: unknown): boolean => textOf(a) === textOf(b)

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const textOfFigure = (name: string, value: number | undefined): string =>
  value === undefined ? '' : formatFigure(name, value)
