import { expect, it } from 'vitest'
import { eventMetrics } from '../../src/opentelemetry/event-metrics.js'
import { stateMetrics } from '../../src/opentelemetry/state-metrics.js'
import { readPage } from './support/block.js'

// The numbers and the names on the pages of a gateway's operator.

const namesOf = (page: string, pattern: RegExp): readonly string[] =>
  [...readPage(page).matchAll(pattern)].map(([, name = '']) => name)

/** The names of all metrics. */
const exportedNames = (): readonly string[] => {
  const names: string[] = []
  const create = (name: string): { add: () => void; record: () => void } => {
    names.push(name)
    return { add: () => undefined, record: () => undefined }
  }
  eventMetrics({ createCounter: create, createHistogram: create })()
  const state = stateMetrics()
  state.stop()
  return [...names, ...state.all.map(({ name }) => name)]
}

const exported = exportedNames()

it('the table of metrics has exactly the metrics that are exported', () => {
  const shown = namesOf('docs/operate/monitor.md', /^\| `((?:svc_streams|http)\.[\w.]+)` \|/gm)
  expect(shown.toSorted()).toEqual(exported.toSorted())
})

it('/metrics exports each metric that the page for operators names', () => {
  const shown = namesOf('docs/operate/run-a-gateway.md', /^\| `((?:svc_streams|http)_\w+)` \|/gm)
  const names = shown.map((name) => name.replace(/_total$/, '').replace(/_(?:seconds|bytes)$/, ''))
  expect(names.length).toBeGreaterThan(8)
  expect(exported.map((name) => name.replaceAll('.', '_'))).toEqual(expect.arrayContaining(names))
})

it('the table of sizes follows from the benchmark', () => {
  const rows = [...readPage('docs/operate/run-a-gateway.md').matchAll(/^\| (\d+) \| (\d+) \| ([\d.]+) \|$/gm)]
  const [, ...amounts] =
    /consumers of a gateway, 100 prices[^|]*\|[^|]*\| ([\d /]+) \| ([\d. /]+) \|/.exec(
      readPage('bench/RESULTS.md'),
    ) ?? []
  const [consumers, micros] = amounts.map((text) => text.split(' / ').map(Number))
  expect(rows.map(([, count]) => Number(count))).toEqual(consumers)
  for (const [index, [, count, prices, percent]] of rows.entries()) {
    const expected = (Number(count) * Number(prices) * (micros?.[index] ?? NaN)) / 10_000
    expect(Number(percent)).toBe(Number(expected.toPrecision(2)))
  }
})
