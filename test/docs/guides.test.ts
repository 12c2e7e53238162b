import { describe, expect, it } from 'vitest'
import { withInstallPart } from '../../scripts/release/install-part.js'
import { createProgram } from '../../src/cli/program.js'
import { filesBelow, readPage } from './support/block.js'

const pages = filesBelow('docs', '.md').filter((page) => page !== 'docs/README.md')

it.each(pages)('lists %s in the index and in typedoc.json', (page) => {
  expect(readPage('docs/README.md')).toContain(`(${page.replace('docs/', '')})`)
  expect(readPage('typedoc.json')).toContain(`"${page}"`)
})

it.each(['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...pages])(
  'has no list inside a sentence in %s',
  (page) => {
    // A formatter takes a `+` or `-` at the start of a line for a list.
    const lines = readPage(page)
      .replace(/^```[^]*?^```$/gm, '')
      .split('\n')
    const inside = lines.filter(
      (line, index) => /^ +[-+*] /.test(line) && /[\w,`]$/.test(lines[index - 1] ?? ''),
    )
    expect(inside).toEqual([])
  },
)

describe('the comparison', () => {
  const results = readPage('bench/RESULTS.md')
  const comparison = readPage('docs/concepts/comparison.md')
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
  const rows = readPage('docs/concepts/comparison.md')
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
    const peers = Object.entries(dependencies).filter(
      ([name]) => !['data-forge', 'graphql', 'undici', 'ws'].includes(name),
    )
    expect(peers.length).toBeGreaterThan(4)
    for (const [name, version] of peers)
      expect(readPage('docs/concepts/comparison.md')).toMatch(
        new RegExp(`^\\| ${name} +\\| ${version} +\\|`, 'm'),
      )
  })
})

describe('the guide to commands', () => {
  it('shows each command of the command line', async () => {
    const shown = new Set(
      [...readPage('docs/reference/commands.md').matchAll(/^npx svc-streams ([\w-]+)/gm)].map(
        ([, command = '']) => command,
      ),
    )
    expect([...shown].sort()).toEqual(
      (await createProgram(process, 'all')).commands.map((command) => command.name()).sort(),
    )
  })
})

describe('the README', () => {
  const readme = readPage('README.md')

  it('says how to install this version: `npm run readme` writes it', () => {
    const { version } = JSON.parse(readPage('package.json')) as { readonly version: string }
    const variants = [false, true].map((isPublished) => withInstallPart(readme, version, isPublished))
    expect(variants).toContain(readme)
    expect(variants[1]).toContain('npm install svc-streams rxjs fp-ts io-ts\n')
  })

  const [, numbers = ''] = readme.split('\n## Three numbers\n')
  /** The cells of the row of the table that contains a text. */
  const cellsOf = (page: string, text: string): readonly string[] => {
    const row = page.split('\n').find((line) => line.startsWith('|') && line.includes(text)) ?? ''
    return row.split('|').map((cell) => cell.trim())
  }
  const sectionOf = (page: string, title: string): string => {
    const [, section = ''] = readPage(page).split(`\n## ${title}`)
    return section.split('\n## ')[0] ?? ''
  }
  const clients = ['hand-written', '**svc-streams**']

  it.each([
    ['slow link', 'Oldest price', 'bench/FAILURES.md', '400 prices a second over a link of 10 kB/s', 3],
    ['stalled network', 'First event', 'bench/FAILURES.md', 'The network forwards nothing for 120 s', 2],
    ['CPU', 'CPU per price', 'bench/RESULTS.md', 'Live prices', 3],
  ])('shows the measured numbers of %s', (_, row, page, title, column) => {
    const section = sectionOf(page, title)
    const measured = clients.map((client) => cellsOf(section, `| ${client}`)[column]?.replace(/ \(.*/, ''))
    const shown = cellsOf(numbers, row).slice(2, 4)
    expect(shown.map((cell) => cell.replace(' µs', ''))).toEqual(measured)
  })
})
