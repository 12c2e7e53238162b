import { describe, expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.js'
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

describe('the failures in the comparison', () => {
  const cellsOf = (row: string): readonly string[] => row.split('|').map((cell) => cell.trim())
  const measured = readPage('bench/FAILURES.md').split('\n').map(cellsOf)
  const clients = new Set(measured.map(([, client = '']) => client).filter((client) => /\d$/.test(client)))
  const rows = readPage('docs/guides/comparison.md')
    .split('\n')
    .map(cellsOf)
    .filter(([, client = '']) => clients.has(client))

  it('names each client of bench/FAILURES.md', () => {
    expect(new Set(rows.map(([, client]) => client))).toEqual(clients)
  })

  it.each(rows)('shows the cells of bench/FAILURES.md: |%s%s', (_, client, ...cells) => {
    const known = measured.filter((row) => row[1] === client).flat()
    expect(known).toEqual(expect.arrayContaining(cells))
  })

  it('lists each peer of the benchmark with its version', () => {
    const { dependencies } = JSON.parse(readPage('bench/package.json')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    const peers = Object.entries(dependencies).filter(([name]) => !['graphql', 'undici', 'ws'].includes(name))
    expect(peers.length).toBeGreaterThan(4)
    for (const [name, version] of peers)
      expect(readPage('docs/guides/comparison.md')).toMatch(
        new RegExp(`^\\| ${name} +\\| ${version} +\\|`, 'm'),
      )
  })
})

describe('the README', () => {
  it('shows each command of the command line', () => {
    const [, commandLine = ''] = readPage('README.md').split('\n## Command line\n')
    const shown = new Set(
      [...commandLine.matchAll(/^npx svc-streams (\w+)/gm)].map(([, command = '']) => command),
    )
    expect([...shown].sort()).toEqual(
      createProgram()
        .commands.map((command) => command.name())
        .sort(),
    )
  })

  it('shows the figures of bench/FAILURES.md', () => {
    const failures = readPage('bench/FAILURES.md')
    const readme = readPage('README.md').replaceAll('\n', ' ')
    const [halfOpen = '', ...others] = failures.split('\n## ').slice(1)
    const rowOf = (client: string) => halfOpen.split('\n').find((line) => line.includes(client)) ?? ''
    const [, seconds = ''] = /`Stale` after ([\d.]+ s) and delivered none/.exec(readme) ?? []
    expect(rowOf('svc-streams')).toMatch(new RegExp(`Stale, after ${seconds} .* 0 of 10 `))
    for (const client of ['hand-written', 'multiplex', 'reconnecting-websocket', 'partysocket'])
      expect(rowOf(client)).toMatch(/ no event .* 10 of 10 /)
    const slow = others.find((section) => section.startsWith('400 prices a second')) ?? ''
    const [, age = '', limit = ''] =
      /prices that were (\d+) s old .* its `maxLag` of (\d+) s/.exec(readme) ?? []
    expect(slow.match(new RegExp(`no event \\| +${age}\\.`, 'g'))?.length).toBeGreaterThanOrEqual(2)
    expect(slow).toMatch(new RegExp(`svc-streams.* ${limit}\\.0 s \\|`))
    const notJson = others.find((section) => section.startsWith('A text that is not JSON')) ?? ''
    expect(notJson.match(/the process ends/g)).toHaveLength(3)
  })
  const [, costs = ''] = readPage('README.md').split('## What it costs')
  const figures = [...costs.matchAll(/\| +(\d+(?:\.\d+)?) (?:µs|B|×)/g)].map(([, figure = '']) => figure)

  it('shows figures of the benchmark', () => {
    expect(figures.length).toBeGreaterThan(20)
  })

  it.each(figures)('shows a figure of bench/RESULTS.md: %s', (figure) => {
    expect(readPage('bench/RESULTS.md')).toContain(` ${figure} (`)
  })
})
