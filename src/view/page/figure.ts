import { drawChart, otherClass, reportFormat, spreadMarks, type Chart } from '../chart/chart.js'
import { rangeOf, type ChartData } from '../chart/chart-data.js'
import { chartHtml } from '../chart/chart-html.js'
import { escapeHtml, scriptJson } from '../format.js'

interface Figure extends Pick<Chart, 'data' | 'isShare' | 'marks'> {
  readonly title: string
  /** Of the line, beside the names of others. */
  readonly name?: string
  readonly others?: readonly { readonly name: string; readonly data: ChartData }[]
}

/** A chart with its title and its legend; nothing without values. The script of the page reads its data. */
export const figureHtml = ({ title, name, data, others = [], marks = [], ...more }: Figure): string => {
  const range = rangeOf(data.values)
  const values = data.values.filter((value) => value !== null)
  const [first = 0, last = 0] = [values[0], values.at(-1)]
  // An account without a loss has no drawdown to show.
  if (range === undefined || (more.isShare === true && range.from === range.to)) return ''
  const times = { from: data.times[0] ?? 0, to: data.times.at(-1) ?? 0 }
  const chart: Chart = {
    ...{ ...more, times, marks: marks.length <= maxMarks ? marks : spreadMarks(marks, times, maxMarks / 2) },
    data,
    kind: 'line',
    others: others.map((line) => line.data),
  }
  const [format, size] = [reportFormat(chart), chart.isShare === true ? lowSize : chartSize]
  const { label } = format
  const description = `${title}: from ${label(first)} to ${label(last)}, lowest ${label(range.from)}, highest ${label(range.to)}`
  const sides = marks.length === 0 ? '' : legend
  const keyOf = (line: string, text: string): string =>
    ` <span class="key"><svg aria-hidden="true"><path class="${line}" d="M0,4.5H28"/></svg> ${escapeHtml(text)}</span>`
  const names = others.map((line, index) => keyOf(otherClass(index), line.name))
  if (name !== undefined && others.length > 0) names.unshift(keyOf('line', name))
  return `<figure data-title="${escapeHtml(title)}">
<figcaption>${escapeHtml(title)}${sides}${names.join('')}</figcaption>
${chartHtml(description, size, drawChart(chart, format, size).layers, size === lowSize ? ' low' : '')}
<script type="application/json">${scriptJson(chart)}</script>
</figure>`
}

/** A page of a long run stays small. */
const maxMarks = 2000

/** A page without script stretches them to its width. */
const chartSize = { width: 1000, height: 240 }
const lowSize = { width: 1000, height: 120 }

const legend =
  ' <span class="key"><i class="buy"></i> buy</span> <span class="key"><i class="sell"></i> sell</span>'
