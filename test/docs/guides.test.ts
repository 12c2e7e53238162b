import { describe, expect, it } from 'vitest'
import { filesBelow, readPage } from './support/block.js'

it.each(filesBelow('docs/guides', '.md'))('%s is in the index and on the site', (guide) => {
  expect(readPage('docs/README.md')).toContain(`(${guide.replace('docs/', '')})`)
  expect(readPage('typedoc.json')).toContain(`"${guide}"`)
})

describe('the guide of errors', () => {
  const tags = [...readPage('src/errors/model.ts').matchAll(/Tagged<'(\w+)'>/g)].map(([, tag = '']) => tag)

  it.each(tags)('names %s', (tag) => {
    expect(readPage('docs/guides/errors.md')).toContain(`\`${tag}\``)
  })
})

describe('the figures of the comparison are those of the benchmark', () => {
  const results = readPage('bench/RESULTS.md')
  const comparison = readPage('docs/guides/comparison.md')
  const cellsOf = (row: string): readonly string[] => row.split('|').map((cell) => cell.trim())
  const rows = comparison
    .split('\n')
    .filter((line) => /\d\.\d+ \(\d/.test(line))
    .map(cellsOf)

  it('of the same run', () => {
    expect(rows.length).toBeGreaterThan(3)
    const [date = 'no date'] = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/.exec(results) ?? []
    expect(comparison).toContain(`By \`npm run bench\`, ${date}`)
  })

  it.each(rows)('|%s%s', (_, client, ...figures) => {
    const measured = results
      .split('\n')
      .map(cellsOf)
      .filter((cells) => cells[1] === client)
      .flat()
    expect(measured).toEqual(expect.arrayContaining(figures.filter((figure) => /\d/.test(figure))))
  })
})
