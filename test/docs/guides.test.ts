import { describe, expect, it } from 'vitest'
import { filesBelow, readPage } from './support/block.js'

const pages = filesBelow('docs', '.md').filter((page) => page !== 'docs/README.md')

it.each(pages)('lists %s in the index and in typedoc.json', (page) => {
  expect(readPage('docs/README.md')).toContain(`(${page.replace('docs/', '')})`)
  expect(readPage('typedoc.json')).toContain(`"${page}"`)
})

describe('the comparison', () => {
  const results = readPage('bench/RESULTS.md')
  const comparison = readPage('docs/guides/comparison.md')
  const cellsOf = (row: string): readonly string[] => row.split('|').map((cell) => cell.trim())
  const rows = comparison
    .split('\n')
    .filter((line) => /\d\.\d+ \(\d/.test(line))
    .map(cellsOf)

  it('names the benchmark run of bench/RESULTS.md', () => {
    expect(rows.length).toBeGreaterThan(3)
    const [date = 'no date'] = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/.exec(results) ?? []
    expect(comparison).toContain(`By \`npm run bench\`, ${date}`)
  })

  it.each(rows)('shows the figures of bench/RESULTS.md: |%s%s', (_, client, ...figures) => {
    const measured = results
      .split('\n')
      .map(cellsOf)
      .filter((cells) => cells[1] === client)
      .flat()
    expect(measured).toEqual(expect.arrayContaining(figures.filter((figure) => /\d/.test(figure))))
  })
})

describe('the README', () => {
  const [, costs = ''] = readPage('README.md').split('## What it costs')
  const figures = [...costs.matchAll(/\| +(\d+(?:\.\d+)?) (?:µs|B|×)/g)].map(([, figure = '']) => figure)

  it('shows figures of the benchmark', () => {
    expect(figures.length).toBeGreaterThan(20)
  })

  it.each(figures)('shows a figure of bench/RESULTS.md: %s', (figure) => {
    expect(readPage('bench/RESULTS.md')).toContain(` ${figure} (`)
  })
})
