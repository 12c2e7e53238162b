import { valueTicks } from './axis.js'
import { chartHtml, noLayers, timeLabels, valueLabels, widestOf } from './chart-html.js'
import { rangeOf, round } from './chart-data.js'
import { scaleOf } from './chart.js'
import { chartSize, figureHtml } from './figure.js'
import { figureText } from './figure-texts.js'
import { escapeHtml, formatQuantity, shortTime } from './format.js'
import { renderPage, table, type Column } from './page.js'
import { csvLink } from './report-tables.js'
import type { CurvePoint } from './run-fold.js'

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

/** The best accounts on one chart. */
const curves = (rows: readonly SweepRow[]): string => {
  const [best, ...others] = rows.filter(({ curve }) => curve.length > 1).slice(0, mostCurves)
  if (best === undefined) return ''
  const dataOf = ({ curve }: SweepRow) => ({
    times: curve.map(({ at }) => at),
    values: curve.map(({ equityUsd }) => equityUsd),
  })
  return figureHtml({
    title: others.length === 0 ? 'Equity, USD' : `Equity, USD, of the best ${others.length + 1}`,
    name: nameOf(best),
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
  const lines = rows.map(({ fields, figures, failure = '' }) => ({
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, textOf(value)])),
    ...figures,
    failure,
  }))
  const html = table<SweepRow>(
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
  const names = [...namesOf('fields'), ...namesOf('figures'), 'failure'] as 'failure'[]
  return html + csvLink('results', names, lines)
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
    .map(([first, second]) => heatMap(rows, first, second, metric, varied.length > 2))
    .join('\n')
}

/** `isBest`: a cell is of several parameters. */
const heatMap = (
  rows: readonly SweepRow[],
  down: string,
  across: string,
  metric: string,
  isBest: boolean,
): string => {
  const { title: name, format } = figureText(metric)
  const [lefts, tops] = [valuesOf(rows, down), valuesOf(rows, across)]
  const best = highestBy(rows, metric, [down, across])
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
  const title = escapeHtml(`${name}: ${down} down, ${across} across`)
  const texts = [
    ...(isBest ? ['A cell has the highest of the parameters with its two values.'] : []),
    `The lowest is ${format(low)}, the highest, outlined, is ${format(high)}.`,
    ...(isSigned ? ['Cells below 0 have a colour of their own.'] : []),
  ]
  return `<h2>${title}</h2>
<div class="table" role="region" aria-label="${title}" tabindex="0"><table class="map">
<thead><tr><th>${escapeHtml(`${down} / ${across}`)}</th>${tops.map((top) => `<th scope="col">${escapeHtml(textOf(top))}</th>`).join('')}</tr></thead>
<tbody>
${lefts.map((left) => `<tr><th scope="row">${escapeHtml(textOf(left))}</th>${tops.map((top) => cell(best.get(keyOf([left, top])))).join('')}</tr>`).join('\n')}
</tbody></table></div>
<p class="note">${texts.join(' ')}</p>`
}

/** Texts stay legible on the cell with the most colour, in %. */
const mostShade = 40

const dotPlot = (rows: readonly SweepRow[], field: string, metric: string): string => {
  const values = valuesOf(rows, field)
  const best = highestBy(rows, metric, [field])
  const dots = values.flatMap((value, index) => {
    const figure = best.get(keyOf([value]))
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
  const title = `${figureText(metric).title} by ${field}`
  return `<figure>\n<figcaption>${escapeHtml(title)}</figcaption>\n${chartHtml(title, chartSize, layers)}\n<p class="note">The values of ${escapeHtml(field)} are at equal distances.</p>\n</figure>`
}

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
