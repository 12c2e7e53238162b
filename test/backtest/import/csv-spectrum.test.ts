import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { delimitedTable } from '../../../src/backtest/import/delimited.js'

// The files of csv-spectrum: quotes, delimiters and line breaks in cells, CRLF, empty cells, JSON, UTF-8.

const require = createRequire(import.meta.url)
const folder = join(require.resolve('csv-spectrum'), '..')

const recordsOf = async (text: string, pieceLength: number): Promise<readonly object[]> => {
  async function* pieces() {
    for (let at = 0; at < text.length; at += pieceLength)
      yield await Promise.resolve(text.slice(at, at + pieceLength))
  }
  const lines = text.split('\n')
  const header = lines[0]?.split(',') ?? []
  const records: object[] = []
  // Some of those files have numbers in their first line: it has the names.
  for await (const rows of delimitedTable(lines, '', pieces).rows([]))
    for (const { cells, line } of rows)
      if (line > 1) records.push(Object.fromEntries(header.map((name, i) => [name, cells[i]])))
  return records
}

describe('the files of csv-spectrum', () => {
  // The package has the cells of other data for that file.
  for (const file of readdirSync(join(folder, 'csvs')).filter((name) => name !== 'location_coordinates.csv'))
    it.each([1, 7, 1_000])(`are read as their cells: ${file}, in pieces of %i characters`, async (length) => {
      const read = (name: string) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
      const expected = JSON.parse(
        read(`json/${basename(file, '.csv')}.json`).replaceAll('\\r\\n', '\\n'),
      ) as unknown
      expect(await recordsOf(read(`csvs/${file}`), length)).toEqual(expected)
    })
})
