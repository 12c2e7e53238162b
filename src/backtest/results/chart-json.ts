import type { Chart, Format } from './chart.js'
import type { ChartData } from './chart-data.js'
import { formatShare, formatUsd, shortTime } from './format.js'

// The data of a chart in a report, which its script reads: times as differences, and values with ten digits.

export const chartJson = (chart: Chart): string => {
  const { data, others = [] } = chart
  return JSON.stringify({ ...chart, data: packed(data), others: others.map(packed) }).replaceAll(
    '<',
    '\\u003c',
  )
}

const packed = ({ times, values }: ChartData): ChartData => ({
  times: times.map((time, index) => time - (times[index - 1] ?? 0)),
  values: values.map((value) => value && Number(value.toPrecision(10))),
})

export const parseChart = (json: string): Chart => {
  const chart = JSON.parse(json) as Chart
  return { ...chart, data: unpacked(chart.data), others: (chart.others ?? []).map(unpacked) }
}

const unpacked = ({ times, values }: ChartData): ChartData => {
  let time = 0
  return { times: times.map((step) => (time += step)), values }
}

/** Of a report: times are in UTC. */
export const formatOf = ({ isShare = false }: Pick<Chart, 'isShare'>): Format => {
  const label = isShare ? formatShare : formatUsd
  return {
    label,
    value: (value) => (value === null ? 'none' : label(value)),
    time: shortTime,
    offset: () => 0,
  }
}
