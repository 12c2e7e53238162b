import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { expandPatterns } from '../../src/cli/run.js'
import { newFile } from './support/new-file.js'

/** A folder with these files, which are empty. */
const folderWith = (...names: readonly string[]): string => {
  const folder = dirname(newFile('other.txt', ''))
  for (const name of names) writeFileSync(join(folder, name), '')
  return folder
}

test('on Windows, a path with * becomes the files that match it, in the order of their names', () => {
  const folder = folderWith(
    'market.2.ndjson.gz',
    'Market.10.ndjson.gz',
    'market.1.ndjson.gz',
    'marketxndjson.gz',
  )
  const pattern = join(folder, 'market.*.ndjson.gz')
  const files = ['Market.10.ndjson.gz', 'market.1.ndjson.gz', 'market.2.ndjson.gz']
  expect(expandPatterns(['export', pattern, '--out', 'night.parquet'], 'win32')).toEqual([
    'export',
    ...files.map((name) => join(folder, name)),
    '--out',
    'night.parquet',
  ])
})

test.each([
  ['without a match', () => join(folderWith(), 'market.*.ndjson')],
  ['in a folder that does not exist', () => 'no/such/folder/*.ndjson'],
  ['in a URL', () => 'https://gate.example/?key=*'],
])('on Windows, a pattern %s is kept', (_, pattern) => {
  const args = ['replay', pattern()]
  expect(expandPatterns(args, 'win32')).toEqual(args)
})

test('elsewhere, the shell has expanded the patterns: a * that is left is a part of a name', () => {
  const args = ['replay', join(folderWith('market.1.ndjson'), '*.ndjson')]
  expect(expandPatterns(args, 'linux')).toEqual(args)
})
